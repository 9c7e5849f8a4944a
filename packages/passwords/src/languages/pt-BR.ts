import type { PasswordTranslation } from '../texts.ts'

/** Brazilian Portuguese. */
export const ptBR: PasswordTranslation = {
  capabilities: {
    passwords: {
      password: 'Senha',
      forgot: 'Esqueceu a senha?',
      forgotText: 'Digite seu endereço de e-mail. Enviaremos um link para escolher uma nova senha.',
      newHere: 'Novo por aqui?',
      register: 'Criar uma conta',
      registerText: 'Digite seu endereço de e-mail. Enviaremos um link para escolher uma senha.',
      send: 'Enviar o link',
      choose: 'Escolha uma senha',
      chooseText:
        'Use pelo menos {name} caracteres. Várias palavras sem relação entre si são uma boa escolha.',
      newPassword: 'Nova senha',
      save: 'Salvar a senha',
      change: 'Alterar a senha',
      changeText: 'Depois, sua sessão será encerrada em todos os outros lugares.',
      add: 'Adicionar uma senha',
      tooShort: 'Escolha uma senha com pelo menos {name} caracteres.',
      tooLong: 'Escolha uma senha com no máximo {name} caracteres.',
      unusable: 'Esta senha tem caracteres que não podem ser usados. Escolha outra.',
      breached: 'Esta senha é conhecida por um vazamento de dados. Escolha outra.',
      otherUser: 'Você entrou como {name}. Esta página é para outra conta.',
      needsEmail: 'Uma senha requer um endereço de e-mail verificado. Verifique o seu primeiro.',
      otherBrowser:
        'Abra este link no navegador em que você digitou sua senha. Se não foi você, feche esta página: nada aconteceu.',
      waysText:
        'Sua nova senha foi salva. Os itens a seguir também pertencem à sua conta. Remova o que você não reconhece.',
      mails: {
        create: {
          subject: 'Crie sua conta em {name}',
          text: 'Abra este link para escolher uma senha para sua nova conta em {name}:',
          button: 'Escolher uma senha',
        },
        reset: {
          subject: 'Escolha uma nova senha para {name}',
          text: 'Abra este link para escolher uma nova senha para sua conta em {name}:',
          button: 'Escolher uma nova senha',
        },
        elsewhere: {
          subject: 'Sua conta em {name}',
          text: 'Você tem uma conta em {name} sem senha. Entre primeiro; depois você pode adicionar uma:',
          button: 'Entrar',
        },
        prove: {
          subject: 'Verifique seu endereço de e-mail para {name}',
          text: 'Abra este link no navegador em que você acabou de digitar sua senha de {name}:',
          button: 'Verificar o endereço de e-mail',
        },
        ways: 'Você também pode entrar com {name}.',
        ignore: 'Se você não solicitou este e-mail, ignore-o.',
      },
    },
  },
}
