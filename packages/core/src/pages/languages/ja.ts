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
  secondFactor: {
    heading: '2段階認証',
    text: '2つ目の認証要素で、ご本人であることを証明してください。',
    code: '認証アプリのコード',
    recoveryCode: 'リカバリーコード',
    enrol: '認証アプリの設定',
    enrolText:
      '認証アプリで画像を読み取るか、アプリにキーを入力してください。次に、アプリに表示されたコードをここに入力してください。',
    required: 'ここでは2つ目の認証要素が必要です。',
    picture: '認証アプリ用のQRコード',
    openApp: 'この端末のアプリで開く',
    key: 'キー',
    codes: 'リカバリーコードの一覧',
    codesText:
      'これらのコードを安全な場所に保管してください。各コードは、認証アプリの代わりに1回だけ使えます。再び表示されることはありません。',
    remember: 'このブラウザーでは確認を求めない（{name}）',
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
