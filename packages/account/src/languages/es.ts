import type { AccountTranslation } from '../texts.ts'

/** Spanish. */
export const es: AccountTranslation = {
  capabilities: {
    account: {
      heading: 'Su cuenta',
      saved: 'Sus cambios se han guardado.',
      profile: 'Sus datos',
      save: 'Guardar',
      notVerified: 'no verificada',
      changeEmail: 'Cambiar la dirección de correo',
      changeEmailText:
        'Enviaremos un enlace a la nueva dirección de correo. Ábralo en este navegador.',
      addWay: 'Añadir una forma de iniciar sesión',
      rename: 'Modificar',
      sessions: 'Dónde ha iniciado sesión',
      thisBrowser: 'Este navegador',
      unknownBrowser: 'Navegador desconocido',
      since: 'Sesión iniciada el {name}',
      endSession: 'Cerrar esa sesión',
      endOtherSessions: 'Cerrar todas las demás sesiones',
      deleteAccount: 'Eliminar la cuenta',
      deleteText: 'Se eliminarán su cuenta y todo lo asociado a ella. Esto no se puede deshacer.',
      deleted: 'Su cuenta se ha eliminado',
      deletedText: 'Se han cerrado todas sus sesiones.',
      emailTaken:
        'Otra cuenta tiene esta dirección de correo. Su dirección de correo no se ha cambiado.',
      profileText: 'Su nombre y la dirección de correo a la que escribimos.',
      waysText: 'Con cualquiera de ellas puede iniciar sesión. Conserve dos por si pierde una.',
      sessionsText: 'Cierre lo que no reconozca.',
      removeHeading: '¿Quitar «{name}»?',
      removeText:
        'Si lo quita, ya no podrá iniciar sesión con ello. Puede volver a añadirlo más adelante.',
    },
    securityEmails: {
      changes: {
        newBrowser: 'Un navegador nuevo ha iniciado sesión en su cuenta de {name}',
        factorAdded: 'Se ha añadido un segundo factor a su cuenta de {name}',
        factorRemoved: 'Se ha eliminado un segundo factor de su cuenta de {name}',
        recoveryCodeUsed: 'Se ha usado un código de recuperación de su cuenta de {name}',
        recoveryCodesReplaced:
          'Se han creado códigos de recuperación nuevos para su cuenta de {name}',
        secondFactorFailed:
          'Se han introducido muchos códigos incorrectos para su cuenta de {name}',
        passwordChanged: 'Se ha cambiado la contraseña de su cuenta de {name}',
        emailChanged: 'Se ha cambiado la dirección de correo electrónico de su cuenta de {name}',
        accountLinked: 'Se ha añadido una forma de iniciar sesión a su cuenta de {name}',
        accountUnlinked: 'Se ha eliminado una forma de iniciar sesión de su cuenta de {name}',
        applicationAllowed: 'Se ha permitido a una aplicación usar su cuenta de {name}',
        applicationReused: 'Se ha terminado el acceso de una aplicación a su cuenta de {name}',
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
  },
}
