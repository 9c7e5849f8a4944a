import type { Messages } from '../../ports/messages.ts'

const tryAgain = 'Não foi possível entrar. Tente novamente.'
const noAccount = 'Não foi possível criar sua conta. Tente novamente.'

/**
 * Brazilian Portuguese.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { ptBR } from '@latchkey/core/languages/pt-BR'
 *
 *   declare const config: AuthConfig
 *   const auth = createAuth({ ...config, messages: { 'pt-BR': ptBR } })
 */
export const ptBR: Messages = {
  direction: 'ltr',
  signIn: 'Entrar',
  continueWith: 'Continuar com {name}',
  continueWithEmail: 'Continuar com e-mail',
  emailLink: 'Receber um link por e-mail',
  lastUsed: 'Último usado',
  or: 'ou',
  signInTo: 'para continuar em {name}',
  signedInAs: 'Você entrou como {name}.',
  continue: 'Continuar',
  useAnotherAccount: 'Usar outra conta',
  signOut: 'Sair',
  signOutQuestion: 'Deseja sair?',
  notSignedIn: 'Você não entrou em nenhuma conta.',
  cancel: 'Cancelar',
  signedOutHere:
    'Você saiu neste navegador. Uma cópia da sessão pode continuar válida (no máximo {name}).',
  checkEmail: 'Verifique seu e-mail',
  checkEmailText: 'Enviamos um e-mail para você. Abra o link para continuar.',
  sentTo: 'Enviamos um e-mail para {name}. Abra o link para continuar.',
  noEmail: 'Não chegou? Veja na pasta de spam ou peça outro e-mail.',
  sendAgain: 'Enviar novamente',
  sentAgain: 'Enviamos outro e-mail.',
  useAnotherEmail: 'Usar outro endereço de e-mail',
  notAnEmail: 'Isto não é um endereço de e-mail. Confira e tente novamente.',
  email: 'Endereço de e-mail',
  code: 'Ou digite o código de oito dígitos do e-mail',
  wrongCode: 'Este código está incorreto ou expirou. Confira e tente novamente.',
  emailNotSent: 'Não foi possível enviar o e-mail. Tente novamente em um minuto.',
  confirm: 'Entrar como {name}?',
  confirmText: 'Você abriu um link de acesso. Se não o solicitou, feche esta página.',
  error: 'Algo deu errado',
  accessDenied: 'Você não tem acesso',
  linkExpired: 'Este link não funciona mais',
  notFound: 'Página não encontrada',
  notFoundText: 'Esta página não existe. Confira a URL ou volte.',
  back: 'Voltar para {name}',
  retryIn: 'Muitas tentativas. Tente novamente em {name}.',
  terms: 'Termos',
  privacy: 'Privacidade',
  confirmation: {
    heading: 'Confirme que é você',
    text: 'Entre mais uma vez para continuar.',
    none: 'Não é possível confirmar aqui. Saia e entre novamente.',
  },
  ways: {
    name: 'Nome',
    ways: 'Formas de entrar',
    remove: 'Remover',
    added: 'Data de adição: {name}',
    lastUsed: 'último uso em {name}',
    isEmail: 'Este é o seu endereço de e-mail. Altere-o para removê-lo.',
    lastWay: 'Esta é sua única forma de entrar. Adicione outra primeiro.',
    lastFactor: 'Uma segunda etapa é obrigatória aqui. Adicione outra primeiro.',
    invalidName: 'Digite um nome de até {name} caracteres.',
    gone: 'Este item não existe mais. Talvez tenha sido alterado em outra janela.',
  },
  mail: {
    subject: 'Entrar em {name}',
    text: 'Abra este link para entrar em {name}:',
    linkSubject: 'Adicionar este endereço de e-mail à sua conta em {name}',
    linkText:
      'Abra este link somente se estiver adicionando este endereço de e-mail à sua conta em {name}:',
    confirmSubject: 'Confirme que é você em {name}',
    confirmText: 'Abra este link para confirmar que é você em {name}:',
    code: 'Ou digite este código na página em que o solicitou:',
    note: 'Funciona uma única vez e expira em {name}. Se não o solicitou, ignore este e-mail.',
  },
  errors: {
    Configuration: 'Este serviço não está configurado corretamente. Fale com o responsável.',
    AccessDenied: 'Esta conta não tem acesso. Entre com outra conta.',
    Verification: 'Este link ou código expirou ou já foi usado. Solicite outro.',
    Default: 'Não foi possível atender a esta solicitação. Volte e tente novamente.',
    OAuthSignin: 'Não foi possível acessar o provedor de login. Tente novamente em um minuto.',
    OAuthCallback: tryAgain,
    OAuthCreateAccount: noAccount,
    OAuthAccountNotLinked: 'Entre da mesma forma que na primeira vez.',
    EmailSignin: 'Não foi possível enviar o e-mail. Confira o endereço e tente novamente.',
    EmailCreateAccount: noAccount,
    CredentialsSignin: 'Estes dados não conferem. Verifique-os e tente novamente.',
    Callback: tryAgain,
    SessionRequired: 'Entre para ver esta página.',
    ConfirmationRequired: 'Confirme que é você e tente novamente.',
    SecondFactorRequired: 'Comprove com um segundo fator que é você.',
    Csrf: 'Esta página expirou. Nada foi alterado. Tente novamente.',
    Cancelled: 'Você cancelou o login. Pode tentar novamente quando quiser.',
    RateLimited: 'Muitas tentativas. Aguarde um pouco e tente novamente.',
    Unavailable: 'Este serviço não está disponível no momento. Tente novamente em um minuto.',
  },
}
