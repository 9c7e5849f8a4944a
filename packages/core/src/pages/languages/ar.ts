import type { Messages } from '../../ports/messages.ts'

const tryAgain = 'تعذّر تسجيل دخولك. حاول مرة أخرى.'
const noAccount = 'تعذّر إنشاء حسابك. حاول مرة أخرى.'

/**
 * Arabic.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { ar } from '@latchkey/core/languages/ar'
 *
 *   declare const config: AuthConfig
 *   const auth = createAuth({ ...config, messages: { ar } })
 */
export const ar: Messages = {
  direction: 'rtl',
  signIn: 'تسجيل الدخول',
  continueWith: 'المتابعة باستخدام {name}',
  continueWithEmail: 'المتابعة بالبريد الإلكتروني',
  emailLink: 'إرسال رابط لتسجيل الدخول إلى بريدي',
  lastUsed: 'آخر استخدام',
  or: 'أو',
  signInTo: 'للمتابعة إلى {name}',
  signedInAs: 'لقد سجّلت الدخول باسم {name}.',
  continue: 'متابعة',
  useAnotherAccount: 'استخدام حساب آخر',
  signOut: 'تسجيل الخروج',
  signOutQuestion: 'هل تريد تسجيل الخروج؟',
  notSignedIn: 'لم تسجّل الدخول.',
  cancel: 'إلغاء',
  signedOutHere:
    'لقد سجّلت الخروج في هذا المتصفح. قد تبقى نسخة من الجلسة صالحة (المدة القصوى: {name}).',
  checkEmail: 'تحقّق من بريدك الإلكتروني',
  checkEmailText: 'أرسلنا إليك رسالة. افتح الرابط الذي فيها للمتابعة.',
  sentTo: 'أرسلنا رسالة إلى {name}. افتح الرابط الذي فيها للمتابعة.',
  noEmail: 'لم تصل الرسالة؟ ابحث في مجلد الرسائل غير المرغوب فيها، أو اطلب رسالة أخرى.',
  sendAgain: 'إعادة الإرسال',
  sentAgain: 'أرسلنا رسالة أخرى.',
  useAnotherEmail: 'استخدام عنوان بريد إلكتروني آخر',
  notAnEmail: 'هذا ليس عنوان بريد إلكتروني. تحقّق منه وحاول مرة أخرى.',
  email: 'عنوان البريد الإلكتروني',
  code: 'أو أدخل الرمز المكوّن من ثمانية أرقام من الرسالة',
  wrongCode: 'هذا الرمز غير صحيح أو انتهت صلاحيته. تحقّق منه وحاول مرة أخرى.',
  emailNotSent: 'تعذّر إرسال الرسالة. حاول مرة أخرى بعد دقيقة.',
  confirm: 'هل تريد تسجيل الدخول باسم {name}؟',
  confirmText: 'لقد فتحت رابطًا لتسجيل الدخول. إذا لم تطلبه، فأغلق هذه الصفحة.',
  error: 'حدث خطأ ما',
  accessDenied: 'ليس لديك إذن بالدخول',
  linkExpired: 'لم يعد هذا الرابط صالحًا',
  notFound: 'الصفحة غير موجودة',
  notFoundText: 'هذه الصفحة غير موجودة. تحقّق من عنوان URL أو ارجع إلى الخلف.',
  back: 'العودة إلى {name}',
  retryIn: 'محاولات كثيرة جدًا. حاول مرة أخرى لاحقًا. الوقت المتبقي: {name}.',
  terms: 'الشروط',
  privacy: 'الخصوصية',
  confirmation: {
    heading: 'تأكيد هويتك',
    text: 'سجّل الدخول مرة أخرى للمتابعة.',
    none: 'لا يمكنك التأكيد هنا. سجّل الخروج، ثم سجّل الدخول مرة أخرى.',
  },
  ways: {
    name: 'الاسم',
    ways: 'طرق تسجيل الدخول',
    remove: 'إزالة',
    added: 'تاريخ الإضافة: {name}',
    lastUsed: 'آخر استخدام: {name}',
    isEmail: 'هذا هو عنوان بريدك الإلكتروني. غيّره لتتمكن من إزالته.',
    lastWay: 'هذه طريقتك الوحيدة لتسجيل الدخول. أضف طريقة أخرى أولًا.',
    lastFactor: 'تلزم هنا خطوة ثانية. أضف خطوة أخرى أولًا.',
    invalidName: 'أدخل اسمًا لا يزيد عدد أحرفه على {name}.',
    gone: 'لم يعد هذا العنصر موجودًا. ربما جرى تغييره في نافذة أخرى.',
  },
  mail: {
    subject: 'تسجيل الدخول إلى {name}',
    text: 'افتح هذا الرابط لتسجيل الدخول إلى {name}:',
    linkSubject: 'إضافة عنوان البريد الإلكتروني هذا إلى حسابك في {name}',
    linkText:
      'لا تفتح هذا الرابط إلا إذا كنت تضيف عنوان البريد الإلكتروني هذا إلى حسابك في {name}:',
    confirmSubject: 'أكّد هويتك لدى {name}',
    confirmText: 'افتح هذا الرابط لتأكيد هويتك لدى {name}:',
    code: 'أو أدخل هذا الرمز في الصفحة التي طلبته منها:',
    note: 'يعمل الرابط مرة واحدة. مدة صلاحيته: {name}. إذا لم تطلبه، فتجاهل هذه الرسالة.',
  },
  errors: {
    Configuration: 'لم يتم إعداد هذه الخدمة بشكل صحيح. اتصل بمشغّلها.',
    AccessDenied: 'ليس لهذا الحساب إذن بالدخول. سجّل الدخول بحساب آخر.',
    Verification: 'انتهت صلاحية هذا الرابط أو الرمز، أو استُخدم من قبل. اطلب رابطًا جديدًا.',
    Default: 'تعذّرت معالجة هذا الطلب. ارجع إلى الخلف وحاول مرة أخرى.',
    OAuthSignin: 'تعذّر الاتصال بمزوّد تسجيل الدخول. حاول مرة أخرى بعد دقيقة.',
    OAuthCallback: tryAgain,
    OAuthCreateAccount: noAccount,
    OAuthAccountNotLinked: 'سجّل الدخول بالطريقة التي استخدمتها في المرة الأولى.',
    EmailSignin: 'تعذّر إرسال الرسالة. تحقّق من عنوان البريد الإلكتروني وحاول مرة أخرى.',
    EmailCreateAccount: noAccount,
    CredentialsSignin: 'هذه البيانات غير متطابقة. تحقّق منها وحاول مرة أخرى.',
    Callback: tryAgain,
    SessionRequired: 'سجّل الدخول لعرض هذه الصفحة.',
    ConfirmationRequired: 'أكّد هويتك، ثم حاول مرة أخرى.',
    SecondFactorRequired: 'أثبت هويتك بعامل تحقّق ثانٍ.',
    Csrf: 'انتهت صلاحية هذه الصفحة. لم يتغيّر شيء. حاول مرة أخرى.',
    Cancelled: 'لقد ألغيت تسجيل الدخول. يمكنك المحاولة مرة أخرى في أي وقت.',
    RateLimited: 'محاولات كثيرة جدًا. انتظر قليلًا ثم حاول مرة أخرى.',
    Unavailable: 'هذه الخدمة غير متاحة الآن. حاول مرة أخرى بعد دقيقة.',
  },
}
