import type { AccountTranslation } from '../texts.ts'

/** Brazilian Portuguese. */
export const ptBR: AccountTranslation = {
  capabilities: {
    account: {
      heading: 'Sua conta',
      saved: 'Suas alterações foram salvas.',
      profile: 'Seus dados',
      save: 'Salvar',
      notVerified: 'não verificado',
      changeEmail: 'Alterar o endereço de e-mail',
      changeEmailText: 'Enviaremos um link para o novo endereço de e-mail. Abra-o neste navegador.',
      addWay: 'Adicionar uma forma de entrar',
      rename: 'Alterar',
      sessions: 'Onde sua conta está conectada',
      thisBrowser: 'Este navegador',
      unknownBrowser: 'Navegador desconhecido',
      since: 'Login em {name}',
      endSession: 'Encerrar a sessão',
      endOtherSessions: 'Encerrar todas as outras sessões',
      deleteAccount: 'Excluir a conta',
      deleteText:
        'Sua conta e tudo o que pertence a ela serão excluídos. Não é possível desfazer isso.',
      deleted: 'Sua conta foi excluída',
      deletedText: 'Todas as suas sessões foram encerradas.',
      emailTaken:
        'Outra conta usa este endereço de e-mail. Seu endereço de e-mail não foi alterado.',
      profileText: 'Seu nome e o endereço de e-mail para o qual escrevemos.',
      waysText: 'Qualquer uma delas permite entrar. Mantenha duas, caso perca uma.',
      sessionsText: 'Encerre o que você não reconhecer.',
      removeHeading: 'Remover “{name}”?',
      removeText:
        'Se você remover, não poderá mais entrar assim. É possível adicionar de novo depois.',
    },
    securityEmails: {
      changes: {
        newBrowser: 'Um novo navegador entrou na sua conta em {name}',
        factorAdded: 'Um segundo fator foi adicionado à sua conta em {name}',
        factorRemoved: 'Um segundo fator foi removido da sua conta em {name}',
        recoveryCodeUsed: 'Um código de recuperação da sua conta em {name} foi usado',
        recoveryCodesReplaced:
          'Novos códigos de recuperação foram criados para a sua conta em {name}',
        secondFactorFailed: 'Muitos códigos incorretos foram digitados para a sua conta em {name}',
        passwordChanged: 'A senha da sua conta em {name} foi alterada',
        emailChanged: 'O endereço de e-mail da sua conta em {name} foi alterado',
        accountLinked: 'Uma forma de entrar foi adicionada à sua conta em {name}',
        accountUnlinked: 'Uma forma de entrar foi removida da sua conta em {name}',
        applicationAllowed: 'Um aplicativo foi autorizado a usar sua conta da {name}',
        applicationReused: 'O acesso de um aplicativo à sua conta da {name} foi encerrado',
      },
      time: 'Data e hora: {name}',
      browser: 'Navegador: {name}',
      detail: 'Nome: {name}',
      further: 'Houve outras alterações desde o nosso último e-mail.',
      wasYou: 'Se foi você, ignore este e-mail.',
      wasNotYou: 'Se não foi você, abra este link para encerrar todas as sessões:',
      note: 'O link funciona uma única vez e expira em {name}.',
      endSessions: 'Encerrar todas as sessões',
      endSessionsText: 'Você sairá da sua conta em todos os navegadores. Depois, entre novamente.',
      sessionsEnded: 'Todas as sessões foram encerradas',
      sessionsEndedText:
        'Você saiu da sua conta em todos os navegadores. Entre novamente e confira o que foi alterado.',
    },
  },
}
