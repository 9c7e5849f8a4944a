import type { SecondFactorTranslation } from '../texts.ts'

/** Simplified Chinese. */
export const zhHans: SecondFactorTranslation = {
  capabilities: {
    secondFactor: {
      totp: '身份验证器应用',
      recovery: '恢复代码',
      heading: '第二步验证',
      text: '请使用第二种验证方式证明是您本人。',
      code: '身份验证器应用中的验证码',
      recoveryCode: '恢复代码',
      useApp: '使用身份验证器应用',
      useRecoveryCode: '使用恢复代码',
      enrol: '设置身份验证器应用',
      enrolText: '请使用身份验证器应用扫描图片，或在应用中输入密钥。然后在此输入应用显示的验证码。',
      required: '此处需要第二种验证方式。',
      choose: '请选择第二种验证方式。此后登录时会要求您使用它。',
      picture: '用于身份验证器应用的二维码',
      openApp: '在此设备上的应用中打开',
      key: '密钥',
      codes: '您的恢复代码',
      codesText:
        '请将这些恢复代码保存在安全的地方。每个代码可代替第二种验证方式使用一次。代码不会再次显示。',
      download: '下载为文本',
      saved: '我已保存这些代码',
      remember: '此浏览器在 {name}内不再询问',
      tooMany: '您已有20个。请先移除一个。',
      changed: '此内容已在其他地方更改。请重试。',
      accountText: '启用第二步验证后，仅凭您的邮箱或密码不足以登录。',
      newCodes: '生成新的恢复代码',
      removeText: '移除后，登录时将不再要求提供它。',
    },
  },
}
