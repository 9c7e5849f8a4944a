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
    heading: 'Confirme que es usted',
    text: 'Inicie sesión otra vez para continuar.',
    none: 'No puede confirmarlo aquí. Cierre la sesión y vuelva a iniciarla.',
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
      'Guarde estos códigos en un lugar seguro. Cada uno sustituye una vez a su segundo factor. No se volverán a mostrar.',
    remember: 'No preguntar en este navegador durante {name}',
    tooMany: 'Ya tiene 20 de estos. Quite uno primero.',
    changed: 'Esto se ha modificado en otro lugar. Inténtelo de nuevo.',
  },
  account: {
    heading: 'Su cuenta',
    saved: 'Sus cambios se han guardado.',
    profile: 'Sus datos',
    name: 'Nombre',
    save: 'Guardar',
    notVerified: 'no verificada',
    changeEmail: 'Cambiar la dirección de correo',
    changeEmailText:
      'Enviaremos un enlace a la nueva dirección de correo. Ábralo en este navegador.',
    ways: 'Formas de iniciar sesión',
    addWay: 'Añadir una forma de iniciar sesión',
    remove: 'Quitar',
    factors: 'Segundo paso',
    noFactors: 'Añada un segundo paso para que su correo por sí solo no baste para iniciar sesión.',
    totp: 'Aplicación de autenticación',
    recovery: 'Códigos de recuperación',
    newCodes: 'Crear códigos de recuperación nuevos',
    rename: 'Modificar',
    added: 'Se añadió el {name}',
    lastUsed: 'último uso el {name}',
    sessions: 'Dónde ha iniciado sesión',
    thisBrowser: 'Este navegador',
    unknownBrowser: 'Navegador desconocido',
    since: 'Sesión iniciada el {name}',
    endSession: 'Cerrar esa sesión',
    endOtherSessions: 'Cerrar todas las demás sesiones',
    deleteAccount: 'Eliminar la cuenta',
    deleteText: 'Se eliminarán su cuenta y todo lo asociado a ella. Esto no se puede deshacer.',
    deleteSure: 'Quiero eliminar mi cuenta',
    deleted: 'Su cuenta se ha eliminado',
    deletedText: 'Se han cerrado todas sus sesiones.',
    isEmail: 'Esta es su dirección de correo electrónico. Cámbiela para quitarla.',
    lastWay: 'Esta es su única forma de iniciar sesión. Añada otra primero.',
    lastFactor: 'Aquí se requiere un segundo paso. Añada otro primero.',
    invalidName: 'Escriba un nombre de {name} caracteres como máximo.',
    gone: 'Esto ya no existe. Puede que se haya cambiado en otra ventana.',
    emailTaken:
      'Otra cuenta tiene esta dirección de correo. Su dirección de correo no se ha cambiado.',
  },
  securityEmails: {
    changes: {
      newBrowser: 'Un navegador nuevo ha iniciado sesión en su cuenta de {name}',
      factorAdded: 'Se ha añadido un segundo factor a su cuenta de {name}',
      factorRemoved: 'Se ha eliminado un segundo factor de su cuenta de {name}',
      recoveryCodeUsed: 'Se ha usado un código de recuperación de su cuenta de {name}',
      recoveryCodesReplaced:
        'Se han creado códigos de recuperación nuevos para su cuenta de {name}',
      secondFactorFailed: 'Se han introducido muchos códigos incorrectos para su cuenta de {name}',
      passwordChanged: 'Se ha cambiado la contraseña de su cuenta de {name}',
      emailChanged: 'Se ha cambiado la dirección de correo electrónico de su cuenta de {name}',
      accountLinked: 'Se ha añadido una forma de iniciar sesión a su cuenta de {name}',
      accountUnlinked: 'Se ha eliminado una forma de iniciar sesión de su cuenta de {name}',
    },
    time: 'Hora: {name}',
    browser: 'Navegador: {name}',
    detail: 'Nombre: {name}',
    further: 'Ha habido más cambios desde nuestro último correo.',
    wasYou: 'Si ha sido usted, ignore este correo.',
    wasNotYou: 'Si no ha sido usted, abra este enlace para cerrar todas las sesiones:',
    note: 'El enlace funciona una sola vez y caduca en {name}.',
    endSessions: 'Cerrar todas las sesiones',
    endSessionsText:
      'Se cerrará la sesión de su cuenta en todos los navegadores. Después, inicie sesión de nuevo.',
    sessionsEnded: 'Se han cerrado todas las sesiones',
    sessionsEndedText:
      'Se ha cerrado la sesión de su cuenta en todos los navegadores. Inicie sesión de nuevo y compruebe qué ha cambiado.',
  },
  passwords: {
    password: 'Contraseña',
    forgot: '¿Ha olvidado su contraseña?',
    forgotText:
      'Escriba su dirección de correo. Le enviaremos un enlace para elegir una contraseña nueva.',
    register: 'Crear una cuenta',
    registerText:
      'Escriba su dirección de correo. Le enviaremos un enlace para elegir una contraseña.',
    send: 'Enviar el enlace',
    choose: 'Elija una contraseña',
    chooseText: 'Use al menos {name} caracteres. Son buenas varias palabras sin relación entre sí.',
    newPassword: 'Contraseña nueva',
    save: 'Guardar la contraseña',
    change: 'Cambiar la contraseña',
    changeText: 'Después se cerrará su sesión en todos los demás sitios.',
    add: 'Añadir una contraseña',
    tooShort: 'Elija una contraseña de al menos {name} caracteres.',
    tooLong: 'Elija una contraseña de {name} caracteres como máximo.',
    unusable: 'Esta contraseña tiene caracteres que no se pueden usar. Elija otra.',
    breached: 'Esta contraseña se conoce por una filtración de datos. Elija otra.',
    otherUser: 'Ha iniciado sesión como {name}. Esta página es para otra cuenta.',
    needsEmail:
      'Una contraseña requiere una dirección de correo verificada. Verifique primero la suya.',
    otherBrowser:
      'Abra este enlace en el navegador en el que escribió su contraseña. Si no fue usted, cierre esta página: no ha pasado nada.',
    waysText:
      'Su contraseña nueva se ha guardado. Lo siguiente también pertenece a su cuenta. Quite lo que no reconozca.',
    mails: {
      create: {
        subject: 'Cree su cuenta de {name}',
        text: 'Abra este enlace para elegir una contraseña para su nueva cuenta de {name}:',
        button: 'Elegir una contraseña',
      },
      reset: {
        subject: 'Elija una contraseña nueva para {name}',
        text: 'Abra este enlace para elegir una contraseña nueva para su cuenta de {name}:',
        button: 'Elegir una contraseña nueva',
      },
      elsewhere: {
        subject: 'Su cuenta de {name}',
        text: 'Tiene una cuenta de {name} sin contraseña. Primero inicie sesión; después podrá añadir una:',
        button: 'Iniciar sesión',
      },
      prove: {
        subject: 'Verifique su dirección de correo para {name}',
        text: 'Abra este enlace en el navegador en el que acaba de escribir su contraseña de {name}:',
        button: 'Verificar la dirección de correo',
      },
      ways: 'También puede iniciar sesión con {name}.',
      ignore: 'Si no ha solicitado este correo, ignórelo.',
    },
  },
  passkeys: {
    name: 'Llave de acceso',
    signIn: 'Iniciar sesión con una llave de acceso',
    confirm: 'Confirmar con una llave de acceso',
    second: 'Usar una llave de acceso',
    add: 'Añadir una llave de acceso',
    create: 'Crear una llave de acceso',
    createText:
      'Con una llave de acceso inicia sesión igual que desbloquea su dispositivo, sin código ni contraseña.',
    notNow: 'Ahora no',
    synchronised: 'sincronizada',
    notSynchronised: 'solo en un dispositivo',
    refused:
      'Esta llave de acceso no ha funcionado. Inténtelo de nuevo o use otra forma de iniciar sesión.',
    unknown: 'Esta llave de acceso no se conoce aquí. Use otra forma de iniciar sesión.',
    failed:
      'Su navegador no ha podido usar una llave de acceso. Inténtelo de nuevo o use otra forma.',
    registered: 'Este dispositivo ya tiene una llave de acceso para su cuenta.',
    tooMany: 'Ya tiene 20 llaves de acceso. Quite una primero.',
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
