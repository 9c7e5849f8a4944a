import type { AuthorizationServerTranslation } from '../texts.ts'

/** Simplified Chinese. */
export const zhHans: AuthorizationServerTranslation = {
  capabilities: {
    authorizationServer: {
      heading: '{name} 请求访问您的账号',
      continuesAt: '之后您将前往 {name}。',
      onThisDevice: '此应用在您自己的设备上运行。仅当您刚刚亲自启动它时才继续。',
      scopes: '它将能够：',
      allow: '允许',
      deny: '暂不',
      scopeProfile: '查看您的姓名和头像',
      scopeEmail: '查看您的电子邮件地址',
      scopeOffline: '在您离开期间保留此访问权限',
      invalid: '此请求无效',
      unknownClient: '此处不认识该应用。请询问其提供方。',
      wrongRedirect: '该应用指定的返回网址未为其登记。',
      ended: '此请求已结束。请在应用中重新开始。',
      leaving: '您可以继续',
      continueAt: '前往 {name}',
      applications: '应用',
      applicationsText: '这些应用会代表您进行操作。请移除您不认识的应用。',
      removeApplication: '撤销访问权限',
      deviceHeading: '连接设备',
      deviceText: '请输入设备上显示的代码。',
      deviceCode: '设备上的代码',
      deviceWrong: '此代码不正确或已失效。请再次查看设备。',
      deviceWarning: '仅当您是在面前的设备上开始此操作时才继续。',
      deviceAge: '距请求的时间：{name}',
      deviceAddress: 'IP 地址：{name}',
      deviceBrowser: '浏览器或程序：{name}',
      deviceUnknown: '未知',
      deviceAllowed: '设备已连接',
      deviceDenied: '设备未获得访问权限',
      deviceClose: '您可以关闭此页面。',
    },
  },
}
