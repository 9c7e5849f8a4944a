import type { PasskeyTranslation } from '../texts.ts'

/** Spanish. */
export const es: PasskeyTranslation = {
  capabilities: {
    passkeys: {
      name: 'Llave de acceso',
      signIn: 'Iniciar sesión con una llave de acceso',
      confirm: 'Confirmar con una llave de acceso',
      second: 'Usar una llave de acceso',
      add: 'Añadir una llave de acceso',
      create: 'Crear una llave de acceso',
      createText:
        'Con una llave de acceso inicia sesión igual que desbloquea su dispositivo, sin código ni contraseña.',
      waiting: 'Continúe en la ventana de su navegador…',
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
  },
}
