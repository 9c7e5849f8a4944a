import type { AuthorizationServerTranslation } from '../texts.ts'

/** Japanese. */
export const ja: AuthorizationServerTranslation = {
  capabilities: {
    authorizationServer: {
      heading: '{name} がアカウントへのアクセスを求めています',
      continuesAt: 'その後、{name} に進みます。',
      onThisDevice:
        'このアプリはお使いの端末で動作しています。ご自身で今起動した場合にのみ続けてください。',
      scopes: '許可される操作:',
      allow: '許可する',
      deny: '今はしない',
      scopeProfile: 'あなたの名前と写真を確認する',
      scopeEmail: 'あなたのメールアドレスを確認する',
      scopeOffline: 'あなたが不在の間もこのアクセスを保持する',
      invalid: 'このリクエストは無効です',
      unknownClient: 'このアプリは登録されていません。提供元にお問い合わせください。',
      wrongRedirect: 'アプリが指定した戻り先のURLは、このアプリに登録されていません。',
      ended: 'このリクエストは終了しました。アプリからやり直してください。',
      leaving: '続けることができます',
      continueAt: '{name} に進む',
      applications: 'アプリ',
      applicationsText:
        'これらのアプリはあなたに代わって操作します。心当たりのないものは削除してください。',
      removeApplication: 'アクセスを取り消す',
      deviceHeading: '端末を接続',
      deviceText: '端末に表示されているコードを入力してください。',
      deviceCode: '端末のコード',
      deviceWrong:
        'このコードは正しくないか、有効期限が切れています。端末をもう一度確認してください。',
      deviceWarning: '目の前にある端末でご自身がこの操作を始めた場合にのみ続けてください。',
      deviceAge: 'リクエストからの経過時間: {name}',
      deviceAddress: 'IPアドレス: {name}',
      deviceBrowser: 'ブラウザまたはプログラム: {name}',
      deviceUnknown: '不明',
      deviceAllowed: '端末が接続されました',
      deviceDenied: '端末にはアクセスが許可されません',
      deviceClose: 'このページを閉じてかまいません。',
    },
  },
}
