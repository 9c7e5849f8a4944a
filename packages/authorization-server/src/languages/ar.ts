import type { AuthorizationServerTranslation } from '../texts.ts'

/** Arabic. */
export const ar: AuthorizationServerTranslation = {
  capabilities: {
    authorizationServer: {
      heading: 'يطلب {name} الوصول إلى حسابك',
      continuesAt: 'بعد ذلك ستتابع في {name}.',
      onThisDevice: 'يعمل هذا التطبيق على جهازك. لا تتابع إلا إذا كنت قد شغّلته بنفسك الآن.',
      scopes: 'سيتمكّن من:',
      allow: 'سماح',
      deny: 'ليس الآن',
      scopeProfile: 'معرفة اسمك وصورتك',
      scopeEmail: 'معرفة عنوان بريدك الإلكتروني',
      scopeOffline: 'الاحتفاظ بهذا الوصول أثناء غيابك',
      invalid: 'هذا الطلب غير صالح',
      unknownClient: 'هذا التطبيق غير معروف هنا. اسأل الجهة التي توفّره.',
      wrongRedirect: 'يذكر التطبيق عنوان URL للمتابعة غير مسجّل له.',
      ended: 'انتهى هذا الطلب. ابدأ من جديد في التطبيق.',
      leaving: 'يمكنك المتابعة',
      continueAt: 'المتابعة في {name}',
      applications: 'التطبيقات',
      applicationsText: 'تعمل هذه التطبيقات نيابةً عنك. أزل ما لا تعرفه.',
      removeApplication: 'إنهاء الوصول',
      deviceHeading: 'ربط جهاز',
      deviceText: 'أدخل الرمز الذي يعرضه الجهاز.',
      deviceCode: 'الرمز الظاهر على الجهاز',
      deviceWrong: 'هذا الرمز غير صحيح أو انتهت صلاحيته. انظر إلى الجهاز مرة أخرى.',
      deviceWarning: 'تابع فقط إذا بدأت هذا على جهاز أمامك.',
      deviceAge: 'الوقت منذ الطلب: {name}',
      deviceAddress: 'عنوان IP: {name}',
      deviceBrowser: 'المتصفح أو البرنامج: {name}',
      deviceUnknown: 'غير معروف',
      deviceAllowed: 'تم ربط الجهاز',
      deviceDenied: 'لن يحصل الجهاز على حق الوصول',
      deviceClose: 'يمكنك إغلاق هذه الصفحة.',
    },
  },
}
