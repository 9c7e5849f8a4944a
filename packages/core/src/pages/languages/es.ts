import type { Messages } from '../../ports/messages.ts'

const tryAgain = 'No hemos podido iniciar su sesión. Inténtelo de nuevo.'
const noAccount = 'No hemos podido crear su cuenta. Inténtelo de nuevo.'

/**
 * Spanish.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { es } from '@latchkey/core/languages/es'
 *
 *   declare const config: AuthConfig
 *   const auth = createAuth({ ...config, messages: { es } })
 */
export const es: Messages = {
  direction: 'ltr',
  signIn: 'Iniciar sesión',
  continueWith: 'Continuar con {name}',
  continueWithEmail: 'Continuar con el correo',
  or: 'o',
  signInTo: 'para continuar en {name}',
  signedInAs: 'Ha iniciado sesión como {name}.',
  continue: 'Continuar',
  useAnotherAccount: 'Usar otra cuenta',
  signOut: 'Cerrar sesión',
  signOutQuestion: '¿Quiere cerrar la sesión?',
  notSignedIn: 'No ha iniciado sesión.',
  cancel: 'Cancelar',
  signedOutHere:
    'Ha cerrado la sesión en este navegador. Una copia de la sesión puede seguir siendo válida (como máximo {name}).',
  checkEmail: 'Revise su correo',
  checkEmailText: 'Le hemos enviado un correo. Abra el enlace para continuar.',
  sentTo: 'Hemos enviado un correo a {name}. Abra el enlace para continuar.',
  noEmail: '¿No ha llegado? Mire en la carpeta de spam o solicite otro correo.',
  sendAgain: 'Enviar de nuevo',
  sentAgain: 'Hemos enviado otro correo.',
  useAnotherEmail: 'Usar otra dirección de correo',
  email: 'Dirección de correo electrónico',
  code: 'O escriba el código de ocho cifras del correo',
  wrongCode: 'Este código es incorrecto o ha caducado. Compruébelo e inténtelo de nuevo.',
  emailNotSent: 'No hemos podido enviar el correo. Inténtelo de nuevo en un minuto.',
  confirm: '¿Iniciar sesión como {name}?',
  confirmText:
    'Ha abierto un enlace de inicio de sesión. Si no lo ha solicitado, cierre esta página.',
  error: 'Algo ha salido mal',
  accessDenied: 'No tiene acceso',
  linkExpired: 'Este enlace ya no funciona',
  notFound: 'Página no encontrada',
  notFoundText: 'Esta página no existe. Compruebe la URL o vuelva atrás.',
  back: 'Volver a {name}',
  retryIn: 'Demasiados intentos. Inténtelo de nuevo en {name}.',
  terms: 'Condiciones de uso',
  privacy: 'Privacidad',
  confirmation: {
    heading: 'Confirma que eres tú',
    text: 'Inicia sesión otra vez para continuar.',
    none: 'No puedes confirmarlo aquí. Cierra la sesión y vuelve a iniciarla.',
  },
  secondFactor: {
    heading: 'Segundo paso',
    text: 'Demuestre con un segundo factor que es usted.',
    code: 'Código de su aplicación de autenticación',
    recoveryCode: 'Código de recuperación',
    enrol: 'Configurar una aplicación de autenticación',
    enrolText:
      'Escanee la imagen con su aplicación de autenticación o escriba la clave en ella. Después, escriba aquí el código que muestra la aplicación.',
    required: 'Aquí se requiere un segundo factor.',
    picture: 'Código QR para su aplicación de autenticación',
    openApp: 'Abrir en una aplicación de este dispositivo',
    key: 'Clave',
    codes: 'Sus códigos de recuperación',
    codesText:
      'Guarde estos códigos en un lugar seguro. Cada uno sustituye una vez a su aplicación de autenticación. No se volverán a mostrar.',
    remember: 'No preguntar en este navegador durante {name}',
  },
  mail: {
    subject: 'Iniciar sesión en {name}',
    text: 'Abra este enlace para iniciar sesión en {name}:',
    linkSubject: 'Añadir esta dirección de correo a su cuenta de {name}',
    linkText:
      'Abra este enlace solo si está añadiendo esta dirección de correo a su cuenta de {name}:',
    confirmSubject: 'Confirma que eres tú en {name}',
    confirmText: 'Abre este enlace para confirmar que eres tú en {name}:',
    code: 'O escriba este código en la página donde lo solicitó:',
    note: 'Funciona una sola vez y caduca en {name}. Si no lo ha solicitado, ignore este correo.',
  },
  errors: {
    Configuration:
      'Este servicio no está bien configurado. Póngase en contacto con el responsable.',
    AccessDenied: 'Esta cuenta no tiene acceso. Inicie sesión con otra cuenta.',
    Verification: 'Este enlace o código ha caducado o ya se ha usado. Solicite otro.',
    Default: 'No hemos podido atender esta solicitud. Vuelva atrás e inténtelo de nuevo.',
    OAuthSignin:
      'No hemos podido conectar con el proveedor de inicio de sesión. Inténtelo de nuevo en un minuto.',
    OAuthCallback: tryAgain,
    OAuthCreateAccount: noAccount,
    OAuthAccountNotLinked: 'Inicie sesión de la misma forma que la primera vez.',
    EmailSignin: 'No hemos podido enviar el correo. Compruebe la dirección e inténtelo de nuevo.',
    EmailCreateAccount: noAccount,
    CredentialsSignin: 'Estos datos no coinciden. Compruébelos e inténtelo de nuevo.',
    Callback: tryAgain,
    SessionRequired: 'Inicie sesión para ver esta página.',
    ConfirmationRequired: 'Confirma que eres tú y vuelve a intentarlo.',
    SecondFactorRequired: 'Demuestre con un segundo factor que es usted.',
    Csrf: 'Esta página ha caducado. No se ha cambiado nada. Inténtelo de nuevo.',
    Cancelled: 'Ha cancelado el inicio de sesión. Puede intentarlo de nuevo cuando quiera.',
    RateLimited: 'Demasiados intentos. Espere un momento e inténtelo de nuevo.',
    Unavailable: 'Este servicio no está disponible ahora. Inténtelo de nuevo en un minuto.',
  },
}
