import type { AuthorizationServerTranslation } from '../texts.ts'

/** Spanish. */
export const es: AuthorizationServerTranslation = {
  capabilities: {
    authorizationServer: {
      heading: '{name} solicita acceso a su cuenta',
      continuesAt: 'Después continuará en {name}.',
      onThisDevice:
        'Esta aplicación se ejecuta en su propio dispositivo. Continúe solo si acaba de iniciarla usted.',
      scopes: 'Podrá:',
      allow: 'Permitir',
      deny: 'Ahora no',
      scopeProfile: 'Conocer su nombre y su foto',
      scopeEmail: 'Conocer su dirección de correo electrónico',
      scopeOffline: 'Mantener este acceso mientras usted no está',
      invalid: 'Esta solicitud no es válida',
      unknownClient: 'La aplicación no se conoce aquí. Pregunte a su proveedor.',
      wrongRedirect: 'La aplicación indica una URL de retorno que no está registrada para ella.',
      ended: 'Esta solicitud ha terminado. Empiece de nuevo en la aplicación.',
      leaving: 'Puede continuar',
      continueAt: 'Continuar en {name}',
      applications: 'Aplicaciones',
      applicationsText: 'Estas aplicaciones actúan en su nombre. Quite las que no reconozca.',
      removeApplication: 'Quitar el acceso',
      deviceHeading: 'Conectar un dispositivo',
      deviceText: 'Introduzca el código que muestra el dispositivo.',
      deviceCode: 'Código del dispositivo',
      deviceWrong: 'Este código no es correcto o ha caducado. Vuelva a mirar el dispositivo.',
      deviceWarning: 'Continúe solo si ha empezado esto en un dispositivo que tiene delante.',
      deviceAge: 'Tiempo desde la solicitud: {name}',
      deviceAddress: 'Dirección IP: {name}',
      deviceBrowser: 'Navegador o programa: {name}',
      deviceUnknown: 'desconocido',
      deviceAllowed: 'El dispositivo está conectado',
      deviceDenied: 'El dispositivo no obtiene acceso',
      deviceClose: 'Puede cerrar esta página.',
    },
  },
}
