import type { PasskeyTranslation } from '../texts.ts'

/** Brazilian Portuguese. */
export const ptBR: PasskeyTranslation = {
  capabilities: {
    passkeys: {
      name: 'Chave de acesso',
      signIn: 'Entrar com uma chave de acesso',
      confirm: 'Confirmar com uma chave de acesso',
      second: 'Usar uma chave de acesso',
      add: 'Adicionar uma chave de acesso',
      create: 'Criar uma chave de acesso',
      createText:
        'Com uma chave de acesso, você entra da mesma forma que desbloqueia seu dispositivo, sem código nem senha.',
      waiting: 'Continue na janela do navegador…',
      notNow: 'Agora não',
      synchronised: 'sincronizada',
      notSynchronised: 'somente em um dispositivo',
      refused: 'Esta chave de acesso não funcionou. Tente novamente ou use outra forma de entrar.',
      unknown: 'Esta chave de acesso não é reconhecida aqui. Use outra forma de entrar.',
      failed:
        'Seu navegador não conseguiu usar uma chave de acesso. Tente novamente ou use outra forma.',
      registered: 'Este dispositivo já tem uma chave de acesso para sua conta.',
      tooMany: 'Você já tem 20 chaves de acesso. Remova uma primeiro.',
    },
  },
}
