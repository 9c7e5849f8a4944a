import type { PasswordTranslation } from '../texts.ts'

/** Simplified Chinese. */
export const zhHans: PasswordTranslation = {
  capabilities: {
    passwords: {
      password: '密码',
      forgot: '忘记密码？',
      forgotText: '请输入您的邮箱地址。我们会向您发送用于设置新密码的链接。',
      newHere: '第一次使用？',
      register: '创建账号',
      registerText: '请输入您的邮箱地址。我们会向您发送用于设置密码的链接。',
      send: '发送链接',
      choose: '设置密码',
      chooseText: '请至少使用 {name} 个字符。几个互不相关的词就是好密码。',
      newPassword: '新密码',
      save: '保存密码',
      change: '更改密码',
      changeText: '之后您将在所有其他位置退出登录。',
      add: '添加密码',
      tooShort: '请设置至少 {name} 个字符的密码。',
      tooLong: '请设置最多 {name} 个字符的密码。',
      unusable: '此密码包含无法使用的字符。请设置其他密码。',
      breached: '此密码已在数据泄露中公开。请设置其他密码。',
      otherUser: '您已以 {name} 的身份登录。此页面属于另一个账号。',
      needsEmail: '设置密码需要已验证的邮箱地址。请先验证您的邮箱地址。',
      otherBrowser:
        '请在您输入密码的浏览器中打开此链接。如果不是您本人操作，请关闭此页面：没有发生任何更改。',
      waysText: '新密码已保存。以下内容也属于您的账号。请移除您不认识的内容。',
      mails: {
        create: {
          subject: '创建您在 {name} 的账号',
          text: '打开此链接，为您在 {name} 的新账号设置密码：',
          button: '设置密码',
        },
        reset: {
          subject: '为 {name} 设置新密码',
          text: '打开此链接，为您在 {name} 的账号设置新密码：',
          button: '设置新密码',
        },
        elsewhere: {
          subject: '您在 {name} 的账号',
          text: '您在 {name} 有一个没有密码的账号。请先登录，然后即可添加密码：',
          button: '登录',
        },
        prove: {
          subject: '验证您在 {name} 的邮箱地址',
          text: '请在您刚才输入 {name} 密码的浏览器中打开此链接：',
          button: '验证邮箱地址',
        },
        ways: '您也可以使用 {name} 登录。',
        ignore: '如果不是您请求的，请忽略此邮件。',
      },
    },
  },
}
