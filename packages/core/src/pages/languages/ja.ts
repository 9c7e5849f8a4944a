import type { Messages } from '../../ports/messages.ts'

const tryAgain = 'ログインできませんでした。もう一度お試しください。'
const noAccount = 'アカウントを作成できませんでした。もう一度お試しください。'

/**
 * Japanese.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { ja } from '@latchkey/core/languages/ja'
 *
 *   declare const config: AuthConfig
 *   const auth = createAuth({ ...config, messages: { ja } })
 */
export const ja: Messages = {
  direction: 'ltr',
  signIn: 'ログイン',
  continueWith: '{name} で続ける',
  continueWithEmail: 'メールで続ける',
  emailLink: 'ログイン用リンクをメールで受け取る',
  lastUsed: '前回使用',
  or: 'または',
  signInTo: '{name} に進みます',
  signedInAs: '{name} としてログインしています。',
  continue: '続ける',
  useAnotherAccount: '別のアカウントを使う',
  signOut: 'ログアウト',
  signOutQuestion: 'ログアウトしますか？',
  notSignedIn: 'ログインしていません。',
  cancel: 'キャンセル',
  signedOutHere:
    'このブラウザーではログアウトしました。セッションの複製が有効なままの場合があります（最長 {name}）。',
  checkEmail: 'メールをご確認ください',
  checkEmailText: 'メールをお送りしました。メール内のリンクを開いてください。',
  sentTo: '{name} にメールをお送りしました。メール内のリンクを開いてください。',
  noEmail: '届かない場合は、迷惑メールフォルダーを確認するか、もう一度送信してください。',
  sendAgain: 'もう一度送信',
  sentAgain: 'メールをもう一度お送りしました。',
  useAnotherEmail: '別のメールアドレスを使う',
  notAnEmail: 'これはメールアドレスではありません。確認して、もう一度お試しください。',
  email: 'メールアドレス',
  code: 'または、メールに記載された8桁のコードを入力してください',
  wrongCode: 'コードが正しくないか、有効期限が切れています。確認して、もう一度お試しください。',
  emailNotSent: 'メールを送信できませんでした。1分後にもう一度お試しください。',
  confirm: '{name} としてログインしますか？',
  confirmText:
    'ログイン用のリンクが開かれました。お心当たりがない場合は、このページを閉じてください。',
  error: '問題が発生しました',
  accessDenied: 'アクセスできません',
  linkExpired: 'このリンクは使えなくなりました',
  notFound: 'ページが見つかりません',
  notFoundText: 'このページは存在しません。URLを確認するか、前のページに戻ってください。',
  back: '{name} に戻る',
  retryIn: '試行回数が多すぎます。{name}後にもう一度お試しください。',
  terms: '利用規約',
  privacy: 'プライバシー',
  confirmation: {
    heading: 'ご本人の確認',
    text: '続けるには、もう一度ログインしてください。',
    none: 'ここでは確認できません。ログアウトしてから、もう一度ログインしてください。',
  },
  ways: {
    name: '名前',
    ways: 'ログイン方法',
    remove: '削除',
    added: '追加日：{name}',
    lastUsed: '最終使用日：{name}',
    isEmail: 'これはあなたのメールアドレスです。削除するには変更してください。',
    lastWay: 'これは唯一のログイン方法です。先に別の方法を追加してください。',
    lastFactor: 'ここでは2段階認証が必要です。先に別の認証要素を追加してください。',
    invalidName: '名前は{name}文字以内で入力してください。',
    gone: 'この項目はもう存在しません。別のウィンドウで変更された可能性があります。',
  },
  mail: {
    subject: '{name} へのログイン',
    text: '{name} にログインするには、このリンクを開いてください。',
    linkSubject: '{name} のアカウントにこのメールアドレスを追加',
    linkText:
      '{name} のアカウントにこのメールアドレスを追加する場合にだけ、このリンクを開いてください。',
    confirmSubject: '{name} でのご本人の確認',
    confirmText: '{name} でご本人であることを確認するには、次のリンクを開いてください：',
    code: 'または、コードを要求したページに次のコードを入力してください。',
    note: 'リンクは1回だけ使えます。有効期限は{name}です。お心当たりがない場合は、このメールを無視してください。',
  },
  errors: {
    Configuration: 'このサービスは正しく設定されていません。運営者にお問い合わせください。',
    AccessDenied: 'このアカウントではアクセスできません。別のアカウントでログインしてください。',
    Verification:
      'このリンクまたはコードは、有効期限が切れているか、すでに使われています。新しいものを要求してください。',
    Default: 'この要求を処理できませんでした。前のページに戻って、もう一度お試しください。',
    OAuthSignin: 'ログインプロバイダーに接続できませんでした。1分後にもう一度お試しください。',
    OAuthCallback: tryAgain,
    OAuthCreateAccount: noAccount,
    OAuthAccountNotLinked: '最初と同じ方法でログインしてください。',
    EmailSignin: 'メールを送信できませんでした。メールアドレスを確認して、もう一度お試しください。',
    EmailCreateAccount: noAccount,
    CredentialsSignin: '入力内容が一致しません。確認して、もう一度お試しください。',
    Callback: tryAgain,
    SessionRequired: 'このページを表示するには、ログインしてください。',
    ConfirmationRequired: 'ご本人であることを確認してから、もう一度お試しください。',
    SecondFactorRequired: '2つ目の認証要素で、ご本人であることを証明してください。',
    Csrf: 'このページの有効期限が切れました。何も変更されていません。もう一度お試しください。',
    Cancelled: 'ログインをキャンセルしました。いつでもやり直せます。',
    RateLimited: '試行回数が多すぎます。しばらく待ってから、もう一度お試しください。',
    Unavailable: 'このサービスは現在ご利用いただけません。1分後にもう一度お試しください。',
  },
}
