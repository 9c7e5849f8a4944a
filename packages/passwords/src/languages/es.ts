import type { PasswordTranslation } from '../texts.ts'

/** Spanish. */
export const es: PasswordTranslation = {
  capabilities: {
    passwords: {
      password: 'Contraseña',
      forgot: '¿Ha olvidado su contraseña?',
      forgotText:
        'Escriba su dirección de correo. Le enviaremos un enlace para elegir una contraseña nueva.',
      newHere: '¿Es nuevo aquí?',
      register: 'Crear una cuenta',
      registerText:
        'Escriba su dirección de correo. Le enviaremos un enlace para elegir una contraseña.',
      send: 'Enviar el enlace',
      choose: 'Elija una contraseña',
      chooseText:
        'Use al menos {name} caracteres. Son buenas varias palabras sin relación entre sí.',
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
  },
}
