import type { AccountTranslation } from '../texts.ts'

/** Japanese. */
export const ja: AccountTranslation = {
  capabilities: {
    account: {
      heading: 'アカウント',
      saved: '変更を保存しました。',
      profile: 'プロフィール',
      save: '保存',
      notVerified: '未確認',
      changeEmail: 'メールアドレスを変更',
      changeEmailText:
        '新しいメールアドレスにリンクをお送りします。このブラウザーで開いてください。',
      addWay: 'ログイン方法を追加',
      rename: '変更',
      sessions: 'ログイン中のブラウザー',
      thisBrowser: 'このブラウザー',
      unknownBrowser: '不明なブラウザー',
      since: 'ログイン日：{name}',
      endSession: 'ログアウト',
      endOtherSessions: '他のすべてのブラウザーからログアウト',
      deleteAccount: 'アカウントを削除',
      deleteText:
        'アカウントと、それに関連するすべてのデータが削除されます。この操作は取り消せません。',
      deleted: 'アカウントを削除しました',
      deletedText: 'すべてのブラウザーからログアウトしました。',
      emailTaken:
        'このメールアドレスは別のアカウントで使われています。現在のメールアドレスは変更されていません。',
      profileText: 'お名前と、連絡先のメールアドレスです。',
      waysText: 'どの方法でもログインできます。1つを失った場合に備えて、2つ以上残してください。',
      sessionsText: '心当たりのないものはログアウトしてください。',
      removeHeading: '「{name}」を削除しますか？',
      removeText: '削除すると、これではログインできなくなります。後からもう一度追加できます。',
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
        applicationAllowed: '{name} のアカウントの利用がアプリに許可されました',
        applicationReused: '{name} のアカウントへのアプリのアクセスが終了しました',
      },
      time: '日時：{name}',
      browser: 'ブラウザー：{name}',
      detail: '名前：{name}',
      further: '前回のメールの後に、ほかの変更もありました。',
      wasYou: 'お心当たりがある場合は、このメールを無視してください。',
      wasNotYou:
        'お心当たりがない場合は、次のリンクを開いて、すべてのセッションを終了してください：',
      note: 'リンクは1回だけ使えます。有効期限は{name}です。',
      endSessions: 'すべてのセッションを終了',
      endSessionsText:
        'すべてのブラウザーでアカウントからログアウトします。その後、もう一度ログインしてください。',
      sessionsEnded: 'すべてのセッションを終了しました',
      sessionsEndedText:
        'すべてのブラウザーでアカウントからログアウトしました。もう一度ログインして、変更された内容を確認してください。',
    },
  },
}
