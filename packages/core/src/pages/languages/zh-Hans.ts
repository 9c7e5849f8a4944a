import type { Messages } from '../../ports/messages.ts'

const tryAgain = '我们无法让您登录。请重试。'
const noAccount = '我们无法创建您的账号。请重试。'

/**
 * Simplified Chinese.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { zhHans } from '@latchkey/core/languages/zh-Hans'
 *
 *   declare const config: AuthConfig
 *   const auth = createAuth({ ...config, messages: { 'zh-Hans': zhHans } })
 */
export const zhHans: Messages = {
  direction: 'ltr',
  signIn: '登录',
  continueWith: '使用 {name} 继续',
  continueWithEmail: '使用邮箱继续',
  emailLink: '通过邮件发送登录链接',
  lastUsed: '上次使用',
  or: '或',
  signInTo: '以继续访问 {name}',
  signedInAs: '您已登录为 {name}。',
  continue: '继续',
  useAnotherAccount: '使用其他账号',
  signOut: '退出登录',
  signOutQuestion: '要退出登录吗？',
  notSignedIn: '您尚未登录。',
  cancel: '取消',
  signedOutHere: '您已在此浏览器中退出登录。会话的副本最多可能在 {name}内仍然有效。',
  checkEmail: '请查收邮件',
  checkEmailText: '我们已向您发送邮件。请打开其中的链接以继续。',
  sentTo: '我们已向 {name} 发送邮件。请打开其中的链接以继续。',
  noEmail: '没有收到？请查看垃圾邮件文件夹，或重新获取邮件。',
  sendAgain: '重新发送',
  sentAgain: '我们已重新发送邮件。',
  useAnotherEmail: '使用其他邮箱地址',
  notAnEmail: '这不是邮箱地址。请检查后重试。',
  email: '邮箱地址',
  code: '或输入邮件中的八位验证码',
  wrongCode: '验证码不正确或已过期。请检查后重试。',
  emailNotSent: '我们无法发送邮件。请在一分钟后重试。',
  confirm: '以 {name} 的身份登录？',
  confirmText: '您打开了一个登录链接。如果不是您请求的，请关闭此页面。',
  error: '出了点问题',
  accessDenied: '您没有访问权限',
  linkExpired: '此链接已失效',
  notFound: '找不到页面',
  notFoundText: '此页面不存在。请检查网址，或返回上一页。',
  back: '返回 {name}',
  retryIn: '尝试次数过多。请在 {name}后重试。',
  terms: '服务条款',
  privacy: '隐私政策',
  confirmation: {
    heading: '确认是您本人',
    text: '请再登录一次以继续。',
    none: '您无法在此确认。请退出登录，然后重新登录。',
  },
  ways: {
    name: '名称',
    ways: '登录方式',
    remove: '移除',
    added: '添加于 {name}',
    lastUsed: '上次使用于 {name}',
    isEmail: '这是您的邮箱地址。如需移除，请更改它。',
    lastWay: '这是您唯一的登录方式。请先添加其他登录方式。',
    lastFactor: '此处需要第二步验证。请先添加其他验证方式。',
    invalidName: '请输入不超过 {name} 个字符的名称。',
    gone: '此内容已不存在，可能已在其他窗口中更改。',
  },
  mail: {
    subject: '登录 {name}',
    text: '打开此链接即可登录 {name}：',
    linkSubject: '将此邮箱地址添加到您在 {name} 的账号',
    linkText: '仅当您要将此邮箱地址添加到您在 {name} 的账号时，才打开此链接：',
    confirmSubject: '确认是您本人在使用 {name}',
    confirmText: '打开此链接，确认是您本人在使用 {name}：',
    code: '或在您请求验证码的页面上输入此验证码：',
    note: '链接只能使用一次，有效期为 {name}。如果不是您请求的，请忽略此邮件。',
  },
  errors: {
    Configuration: '此服务的配置不正确。请联系运营者。',
    AccessDenied: '此账号没有访问权限。请使用其他账号登录。',
    Verification: '此链接或验证码已过期或已被使用。请重新获取。',
    Default: '我们无法处理此请求。请返回后重试。',
    OAuthSignin: '我们无法连接到登录服务。请在一分钟后重试。',
    OAuthCallback: tryAgain,
    OAuthCreateAccount: noAccount,
    OAuthAccountNotLinked: '请使用您第一次登录时的方式登录。',
    EmailSignin: '我们无法发送邮件。请检查邮箱地址后重试。',
    EmailCreateAccount: noAccount,
    CredentialsSignin: '这些信息不匹配。请检查后重试。',
    Callback: tryAgain,
    SessionRequired: '请登录后查看此页面。',
    ConfirmationRequired: '请先确认是您本人，然后重试。',
    SecondFactorRequired: '请使用第二种验证方式证明是您本人。',
    Csrf: '此页面已过期。没有任何更改。请重试。',
    Cancelled: '您已取消登录。您可以随时重试。',
    RateLimited: '尝试次数过多。请稍后重试。',
    Unavailable: '此服务暂时不可用。请在一分钟后重试。',
  },
}
