import type { PasskeyTranslation } from '../texts.ts'

/** Simplified Chinese. */
export const zhHans: PasskeyTranslation = {
  capabilities: {
    passkeys: {
      name: '通行密钥',
      signIn: '使用通行密钥登录',
      confirm: '使用通行密钥确认',
      second: '使用通行密钥',
      add: '添加通行密钥',
      create: '创建通行密钥',
      createText: '使用通行密钥，您可以像解锁设备一样登录，无需验证码或密码。',
      waiting: '请在浏览器弹窗中继续…',
      notNow: '以后再说',
      synchronised: '已同步',
      notSynchronised: '仅在一台设备上',
      refused: '此通行密钥未能通过验证。请重试，或使用其他登录方式。',
      unknown: '此服务中没有此通行密钥。请使用其他登录方式。',
      failed: '您的浏览器无法使用通行密钥。请重试，或使用其他方式。',
      registered: '此设备上已有您账号的通行密钥。',
      tooMany: '您已有20个通行密钥。请先移除一个。',
    },
  },
}
