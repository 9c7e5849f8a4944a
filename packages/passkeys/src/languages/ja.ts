import type { PasskeyTranslation } from '../texts.ts'

/** Japanese. */
export const ja: PasskeyTranslation = {
  capabilities: {
    passkeys: {
      name: 'パスキー',
      signIn: 'パスキーでログイン',
      confirm: 'パスキーで確認',
      second: 'パスキーを使う',
      add: 'パスキーを追加',
      create: 'パスキーを作成',
      createText:
        'パスキーを使うと、端末のロックを解除するのと同じ方法で、コードやパスワードなしでログインできます。',
      waiting: 'ブラウザの画面で続けてください…',
      notNow: '今はしない',
      synchronised: '同期済み',
      notSynchronised: '1台の端末のみ',
      refused: 'このパスキーは使えませんでした。もう一度試すか、別の方法でログインしてください。',
      unknown: 'このパスキーはここに登録されていません。別の方法でログインしてください。',
      failed: 'ブラウザーでパスキーを使えませんでした。もう一度試すか、別の方法を使ってください。',
      registered: 'この端末には、このアカウントのパスキーがすでにあります。',
      tooMany: 'パスキーがすでに20個あります。先に1つ削除してください。',
    },
  },
}
