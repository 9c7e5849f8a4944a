import type { SecondFactorTranslation } from '../texts.ts'

/** Spanish. */
export const es: SecondFactorTranslation = {
  capabilities: {
    secondFactor: {
      totp: 'Aplicación de autenticación',
      recovery: 'Códigos de recuperación',
      heading: 'Segundo paso',
      text: 'Demuestre con un segundo factor que es usted.',
      code: 'Código de su aplicación de autenticación',
      recoveryCode: 'Código de recuperación',
      useApp: 'Usar la aplicación de autenticación',
      useRecoveryCode: 'Usar un código de recuperación',
      enrol: 'Configurar una aplicación de autenticación',
      enrolText:
        'Escanee la imagen con su aplicación de autenticación o escriba la clave en ella. Después, escriba aquí el código que muestra la aplicación.',
      required: 'Aquí se requiere un segundo factor.',
      choose: 'Elija un segundo factor. Después se le pedirá al iniciar sesión.',
      picture: 'Código QR para su aplicación de autenticación',
      openApp: 'Abrir en una aplicación de este dispositivo',
      key: 'Clave',
      codes: 'Sus códigos de recuperación',
      codesText:
        'Guarde estos códigos en un lugar seguro. Cada uno sustituye una vez a su segundo factor. No se volverán a mostrar.',
      download: 'Descargar como texto',
      saved: 'He guardado estos códigos',
      remember: 'No preguntar en este navegador durante {name}',
      tooMany: 'Ya tiene 20 de estos. Quite uno primero.',
      changed: 'Esto se ha modificado en otro lugar. Inténtelo de nuevo.',
      accountText:
        'Con un segundo paso, su correo o su contraseña por sí solos no bastan para iniciar sesión.',
      newCodes: 'Crear códigos de recuperación nuevos',
      removeText: 'Si lo quita, ya no se le pedirá al iniciar sesión.',
    },
  },
}
