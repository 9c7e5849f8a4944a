import type { SecondFactorTranslation } from '../texts.ts'

/** Brazilian Portuguese. */
export const ptBR: SecondFactorTranslation = {
  capabilities: {
    secondFactor: {
      totp: 'Aplicativo autenticador',
      recovery: 'Códigos de recuperação',
      heading: 'Segunda etapa',
      text: 'Comprove com um segundo fator que é você.',
      code: 'Código do seu aplicativo autenticador',
      recoveryCode: 'Código de recuperação',
      useApp: 'Usar o aplicativo autenticador',
      useRecoveryCode: 'Usar um código de recuperação',
      enrol: 'Configurar um aplicativo autenticador',
      enrolText:
        'Escaneie a imagem com seu aplicativo autenticador ou digite a chave nele. Depois, digite aqui o código que o aplicativo mostra.',
      required: 'Um segundo fator é obrigatório aqui.',
      choose: 'Escolha um segundo fator. Depois ele será pedido quando você entrar.',
      picture: 'Código QR para seu aplicativo autenticador',
      openApp: 'Abrir em um aplicativo neste dispositivo',
      key: 'Chave',
      codes: 'Seus códigos de recuperação',
      codesText:
        'Guarde estes códigos em um lugar seguro. Cada um substitui seu segundo fator uma vez. Eles não serão mostrados novamente.',
      download: 'Baixar como texto',
      saved: 'Salvei estes códigos',
      remember: 'Não perguntar neste navegador por {name}',
      tooMany: 'Você já tem 20 destes. Remova um primeiro.',
      changed: 'Isto foi alterado em outro lugar. Tente novamente.',
      accountText:
        'Com uma segunda etapa, seu e-mail ou sua senha sozinhos não bastam para entrar.',
      newCodes: 'Criar novos códigos de recuperação',
      removeText: 'Se você remover, isso não será mais solicitado ao entrar.',
    },
  },
}
