import type { SecondFactorTranslation } from '../texts.ts'

/** Japanese. */
export const ja: SecondFactorTranslation = {
  capabilities: {
    secondFactor: {
      totp: '認証アプリ',
      recovery: 'リカバリーコード',
      heading: '2段階認証',
      text: '2つ目の認証要素で、ご本人であることを証明してください。',
      code: '認証アプリのコード',
      recoveryCode: 'リカバリーコード',
      useApp: '認証アプリを使う',
      useRecoveryCode: 'リカバリーコードを使う',
      enrol: '認証アプリの設定',
      enrolText:
        '認証アプリで画像を読み取るか、アプリにキーを入力してください。次に、アプリに表示されたコードをここに入力してください。',
      required: 'ここでは2つ目の認証要素が必要です。',
      choose: '2つ目の認証要素を選んでください。以後、ログイン時に確認を求めます。',
      picture: '認証アプリ用のQRコード',
      openApp: 'この端末のアプリで開く',
      key: 'キー',
      codes: 'リカバリーコードの一覧',
      codesText:
        'これらのコードを安全な場所に保管してください。各コードは、2つ目の認証要素の代わりに1回だけ使えます。再び表示されることはありません。',
      download: 'テキストとしてダウンロード',
      saved: 'コードを保存しました',
      remember: 'このブラウザーでは確認を求めない（{name}）',
      tooMany: 'すでに20個あります。先に1つ削除してください。',
      changed: 'ほかの場所で変更されました。もう一度お試しください。',
      accountText: '2段階認証を使うと、メールやパスワードだけではログインできなくなります。',
      newCodes: '新しいリカバリーコードを作成',
      removeText: '削除すると、ログイン時に求められなくなります。',
    },
  },
}
