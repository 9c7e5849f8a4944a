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
  emailLink: 'Enviarme un enlace por correo',
  lastUsed: 'Último uso',
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
  notAnEmail: 'Esto no es una dirección de correo. Compruébela e inténtelo de nuevo.',
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
    heading: 'Confirme que es usted',
    text: 'Inicie sesión otra vez para continuar.',
    none: 'No puede confirmarlo aquí. Cierre la sesión y vuelva a iniciarla.',
  },
  ways: {
    name: 'Nombre',
    ways: 'Formas de iniciar sesión',
    remove: 'Quitar',
    added: 'Se añadió el {name}',
    lastUsed: 'último uso el {name}',
    isEmail: 'Esta es su dirección de correo electrónico. Cámbiela para quitarla.',
    lastWay: 'Esta es su única forma de iniciar sesión. Añada otra primero.',
    lastFactor: 'Aquí se requiere un segundo paso. Añada otro primero.',
    invalidName: 'Escriba un nombre de {name} caracteres como máximo.',
    gone: 'Esto ya no existe. Puede que se haya cambiado en otra ventana.',
  },
  mail: {
    subject: 'Iniciar sesión en {name}',
    text: 'Abra este enlace para iniciar sesión en {name}:',
    linkSubject: 'Añadir esta dirección de correo a su cuenta de {name}',
    linkText:
      'Abra este enlace solo si está añadiendo esta dirección de correo a su cuenta de {name}:',
    confirmSubject: 'Confirme en {name} que es usted',
    confirmText: 'Abra este enlace para confirmar en {name} que es usted:',
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
    ConfirmationRequired: 'Confirme que es usted e inténtelo de nuevo.',
    SecondFactorRequired: 'Demuestre con un segundo factor que es usted.',
    Csrf: 'Esta página ha caducado. No se ha cambiado nada. Inténtelo de nuevo.',
    Cancelled: 'Ha cancelado el inicio de sesión. Puede intentarlo de nuevo cuando quiera.',
    RateLimited: 'Demasiados intentos. Espere un momento e inténtelo de nuevo.',
    Unavailable: 'Este servicio no está disponible ahora. Inténtelo de nuevo en un minuto.',
  },
}
