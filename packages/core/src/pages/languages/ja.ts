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
      'これらのコードを安全な場所に保管してください。各コードは、2つ目の認証要素の代わりに1回だけ使えます。再び表示されることはありません。',
    remember: 'このブラウザーでは確認を求めない（{name}）',
    tooMany: 'すでに20個あります。先に1つ削除してください。',
    changed: 'ほかの場所で変更されました。もう一度お試しください。',
  },
  account: {
    heading: 'アカウント',
    saved: '変更を保存しました。',
    profile: 'プロフィール',
    name: '名前',
    save: '保存',
    notVerified: '未確認',
    changeEmail: 'メールアドレスを変更',
    changeEmailText: '新しいメールアドレスにリンクをお送りします。このブラウザーで開いてください。',
    ways: 'ログイン方法',
    addWay: 'ログイン方法を追加',
    remove: '削除',
    factors: '2段階認証',
    noFactors: 'メールだけではログインできないように、2段階認証を追加してください。',
    totp: '認証アプリ',
    recovery: 'リカバリーコード',
    newCodes: '新しいリカバリーコードを作成',
    rename: '変更',
    added: '追加日：{name}',
    lastUsed: '最終使用日：{name}',
    sessions: 'ログイン中のブラウザー',
    thisBrowser: 'このブラウザー',
    unknownBrowser: '不明なブラウザー',
    since: 'ログイン日：{name}',
    endSession: 'ログアウト',
    endOtherSessions: '他のすべてのブラウザーからログアウト',
    deleteAccount: 'アカウントを削除',
    deleteText:
      'アカウントと、それに関連するすべてのデータが削除されます。この操作は取り消せません。',
    deleteSure: '自分のアカウントを削除します',
    deleted: 'アカウントを削除しました',
    deletedText: 'すべてのブラウザーからログアウトしました。',
    isEmail: 'これはあなたのメールアドレスです。削除するには変更してください。',
    lastWay: 'これは唯一のログイン方法です。先に別の方法を追加してください。',
    lastFactor: 'ここでは2段階認証が必要です。先に別の認証要素を追加してください。',
    invalidName: '名前は{name}文字以内で入力してください。',
    gone: 'この項目はもう存在しません。別のウィンドウで変更された可能性があります。',
    emailTaken:
      'このメールアドレスは別のアカウントで使われています。現在のメールアドレスは変更されていません。',
  },
  securityEmails: {
    changes: {
      newBrowser: '{name} のアカウントに新しいブラウザーからログインがありました',
      factorAdded: '{name} のアカウントに2つ目の認証要素が追加されました',
      factorRemoved: '{name} のアカウントから2つ目の認証要素が削除されました',
      recoveryCodeUsed: '{name} のアカウントのリカバリーコードが使用されました',
      recoveryCodesReplaced: '{name} のアカウントの新しいリカバリーコードが作成されました',
      secondFactorFailed: '{name} のアカウントに対して誤ったコードが何度も入力されました',
      passwordChanged: '{name} のアカウントのパスワードが変更されました',
      emailChanged: '{name} のアカウントのメールアドレスが変更されました',
      accountLinked: '{name} のアカウントにログイン方法が追加されました',
      accountUnlinked: '{name} のアカウントからログイン方法が削除されました',
    },
    time: '日時：{name}',
    browser: 'ブラウザー：{name}',
    detail: '名前：{name}',
    further: '前回のメールの後に、ほかの変更もありました。',
    wasYou: 'お心当たりがある場合は、このメールを無視してください。',
    wasNotYou: 'お心当たりがない場合は、次のリンクを開いて、すべてのセッションを終了してください：',
    note: 'リンクは1回だけ使えます。有効期限は{name}です。',
    endSessions: 'すべてのセッションを終了',
    endSessionsText:
      'すべてのブラウザーでアカウントからログアウトします。その後、もう一度ログインしてください。',
    sessionsEnded: 'すべてのセッションを終了しました',
    sessionsEndedText:
      'すべてのブラウザーでアカウントからログアウトしました。もう一度ログインして、変更された内容を確認してください。',
  },
  passwords: {
    password: 'パスワード',
    forgot: 'パスワードをお忘れですか？',
    forgotText:
      'メールアドレスを入力してください。新しいパスワードを設定するためのリンクをお送りします。',
    register: 'アカウントの作成',
    registerText:
      'メールアドレスを入力してください。パスワードを設定するためのリンクをお送りします。',
    send: 'リンクを送信',
    choose: 'パスワードの設定',
    chooseText:
      '{name}文字以上にしてください。関連のない単語をいくつか組み合わせるとよいでしょう。',
    newPassword: '新しいパスワード',
    save: 'パスワードを保存',
    change: 'パスワードの変更',
    changeText: '変更すると、他のすべての場所でログアウトされます。',
    add: 'パスワードの追加',
    tooShort: '{name}文字以上のパスワードを設定してください。',
    tooLong: '{name}文字以下のパスワードを設定してください。',
    unusable:
      'このパスワードには使用できない文字が含まれています。別のパスワードを設定してください。',
    breached: 'このパスワードは情報漏えいにより知られています。別のパスワードを設定してください。',
    otherUser: '{name} としてログインしています。このページは別のアカウントのものです。',
    needsEmail:
      'パスワードには確認済みのメールアドレスが必要です。先にメールアドレスを確認してください。',
    otherBrowser:
      'パスワードを入力したブラウザでこのリンクを開いてください。お心当たりがない場合は、このページを閉じてください。何も変更されていません。',
    waysText:
      '新しいパスワードを保存しました。次のものもあなたのアカウントに登録されています。心当たりのないものは削除してください。',
    mails: {
      create: {
        subject: '{name} のアカウントの作成',
        text: '{name} の新しいアカウントのパスワードを設定するには、このリンクを開いてください。',
        button: 'パスワードを設定',
      },
      reset: {
        subject: '{name} の新しいパスワードの設定',
        text: '{name} のアカウントの新しいパスワードを設定するには、このリンクを開いてください。',
        button: '新しいパスワードを設定',
      },
      elsewhere: {
        subject: '{name} のアカウント',
        text: '{name} にパスワードのないアカウントがあります。先にログインすると、パスワードを追加できます。',
        button: 'ログイン',
      },
      prove: {
        subject: '{name} のメールアドレスの確認',
        text: '{name} のパスワードを入力したブラウザで、このリンクを開いてください。',
        button: 'メールアドレスを確認',
      },
      ways: '{name} でもログインできます。',
      ignore: 'お心当たりがない場合は、このメールを無視してください。',
    },
  },
  passkeys: {
    name: 'パスキー',
    signIn: 'パスキーでログイン',
    confirm: 'パスキーで確認',
    second: 'パスキーを使う',
    add: 'パスキーを追加',
    create: 'パスキーを作成',
    createText:
      'パスキーを使うと、端末のロックを解除するのと同じ方法で、コードやパスワードなしでログインできます。',
    notNow: '今はしない',
    synchronised: '同期済み',
    notSynchronised: '1台の端末のみ',
    refused: 'このパスキーは使えませんでした。もう一度試すか、別の方法でログインしてください。',
    unknown: 'このパスキーはここに登録されていません。別の方法でログインしてください。',
    failed: 'ブラウザーでパスキーを使えませんでした。もう一度試すか、別の方法を使ってください。',
    registered: 'この端末には、このアカウントのパスキーがすでにあります。',
    tooMany: 'パスキーがすでに20個あります。先に1つ削除してください。',
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
