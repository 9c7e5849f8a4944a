import type { AuthorizationServerTranslation } from '../texts.ts'

/** Brazilian Portuguese. */
export const ptBR: AuthorizationServerTranslation = {
  capabilities: {
    authorizationServer: {
      heading: '{name} pede acesso à sua conta',
      continuesAt: 'Depois você continuará em {name}.',
      onThisDevice:
        'Este aplicativo é executado no seu próprio dispositivo. Continue somente se você acabou de iniciá-lo.',
      scopes: 'Ele poderá:',
      allow: 'Permitir',
      deny: 'Agora não',
      scopeProfile: 'Saber seu nome e ver sua foto',
      scopeEmail: 'Saber seu endereço de e-mail',
      scopeOffline: 'Manter este acesso enquanto você não está presente',
      invalid: 'Esta solicitação não é válida',
      unknownClient: 'O aplicativo não é conhecido aqui. Pergunte ao fornecedor dele.',
      wrongRedirect: 'O aplicativo indica uma URL de retorno que não está registrada para ele.',
      ended: 'Esta solicitação terminou. Comece de novo no aplicativo.',
      leaving: 'Você pode continuar',
      continueAt: 'Continuar em {name}',
      applications: 'Aplicativos',
      applicationsText: 'Estes aplicativos agem em seu nome. Remova os que você não reconhece.',
      removeApplication: 'Remover o acesso',
      deviceHeading: 'Conectar um dispositivo',
      deviceText: 'Digite o código mostrado no dispositivo.',
      deviceCode: 'Código do dispositivo',
      deviceWrong: 'Este código está errado ou expirou. Olhe de novo o dispositivo.',
      deviceWarning: 'Continue somente se você começou isto em um dispositivo à sua frente.',
      deviceAge: 'Tempo desde o pedido: {name}',
      deviceAddress: 'Endereço IP: {name}',
      deviceBrowser: 'Navegador ou programa: {name}',
      deviceUnknown: 'desconhecido',
      deviceAllowed: 'O dispositivo está conectado',
      deviceDenied: 'O dispositivo não recebe acesso',
      deviceClose: 'Você pode fechar esta página.',
    },
  },
}
