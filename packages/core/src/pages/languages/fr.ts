import type { Messages } from '../../ports/messages.ts'

const tryAgain = 'Nous n’avons pas pu vous connecter. Réessayez.'
const noAccount = 'Nous n’avons pas pu créer votre compte. Réessayez.'

/**
 * French.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { fr } from '@latchkey/core/languages/fr'
 *
 *   declare const config: AuthConfig
 *   const auth = createAuth({ ...config, messages: { fr } })
 */
export const fr: Messages = {
  direction: 'ltr',
  signIn: 'Se connecter',
  continueWith: 'Continuer avec {name}',
  continueWithEmail: 'Continuer par e-mail',
  emailLink: 'Recevoir un lien par e-mail',
  lastUsed: 'Dernier utilisé',
  or: 'ou',
  signInTo: 'pour continuer vers {name}',
  signedInAs: 'Session ouverte en tant que {name}.',
  continue: 'Continuer',
  useAnotherAccount: 'Utiliser un autre compte',
  signOut: 'Se déconnecter',
  signOutQuestion: 'Voulez-vous vous déconnecter ?',
  notSignedIn: 'Aucune session n’est ouverte.',
  cancel: 'Annuler',
  signedOutHere:
    'La session est fermée dans ce navigateur. Une copie de la session peut rester valable (au plus {name}).',
  checkEmail: 'Consultez vos e-mails',
  checkEmailText: 'Nous vous avons envoyé un e-mail. Ouvrez le lien qu’il contient pour continuer.',
  sentTo: 'Nous avons envoyé un e-mail à {name}. Ouvrez le lien qu’il contient pour continuer.',
  noEmail: 'Rien reçu ? Regardez dans les courriers indésirables ou demandez un autre e-mail.',
  sendAgain: 'Renvoyer',
  sentAgain: 'Nous avons envoyé un autre e-mail.',
  useAnotherEmail: 'Utiliser une autre adresse e-mail',
  notAnEmail: 'Ce n’est pas une adresse e-mail. Vérifiez-la et réessayez.',
  email: 'Adresse e-mail',
  code: 'Ou saisissez le code à huit chiffres de l’e-mail',
  wrongCode: 'Ce code est incorrect ou a expiré. Vérifiez-le et réessayez.',
  emailNotSent: 'Nous n’avons pas pu envoyer l’e-mail. Réessayez dans une minute.',
  confirm: 'Se connecter en tant que {name} ?',
  confirmText:
    'Vous avez ouvert un lien de connexion. Si vous ne l’avez pas demandé, fermez cette page.',
  error: 'Un problème est survenu',
  accessDenied: 'Vous n’avez pas accès',
  linkExpired: 'Ce lien ne fonctionne plus',
  notFound: 'Page introuvable',
  notFoundText: 'Cette page n’existe pas. Vérifiez l’URL ou revenez en arrière.',
  back: 'Retour à {name}',
  retryIn: 'Trop de tentatives. Réessayez dans {name}.',
  terms: 'Conditions d’utilisation',
  privacy: 'Confidentialité',
  confirmation: {
    heading: 'Confirmez que c’est bien vous',
    text: 'Connectez-vous à nouveau pour continuer.',
    none: 'Vous ne pouvez pas confirmer ici. Déconnectez-vous, puis reconnectez-vous.',
  },
  ways: {
    name: 'Nom',
    ways: 'Moyens de connexion',
    remove: 'Retirer',
    added: 'Ajout le {name}',
    lastUsed: 'dernière utilisation le {name}',
    isEmail: 'C’est votre adresse e-mail. Modifiez-la pour la retirer.',
    lastWay: 'C’est votre seul moyen de connexion. Ajoutez-en d’abord un autre.',
    lastFactor: 'Une seconde étape est requise ici. Ajoutez-en d’abord une autre.',
    invalidName: 'Saisissez un nom de {name} caractères au maximum.',
    gone: 'Cet élément n’existe plus. Il a peut-être été modifié dans une autre fenêtre.',
  },
  mail: {
    subject: 'Connexion à {name}',
    text: 'Ouvrez ce lien pour vous connecter à {name} :',
    linkSubject: 'Ajouter cette adresse e-mail à votre compte {name}',
    linkText:
      'Ouvrez ce lien uniquement si vous ajoutez cette adresse e-mail à votre compte {name} :',
    confirmSubject: 'Confirmez que c’est bien vous sur {name}',
    confirmText: 'Ouvrez ce lien pour confirmer que c’est bien vous sur {name} :',
    code: 'Ou saisissez ce code sur la page où vous l’avez demandé :',
    note: 'Il ne fonctionne qu’une fois et expire dans {name}. Si vous ne l’avez pas demandé, ignorez cet e-mail.',
  },
  errors: {
    Configuration: 'Ce service n’est pas configuré correctement. Contactez son exploitant.',
    AccessDenied: 'Ce compte n’a pas accès. Connectez-vous avec un autre compte.',
    Verification: 'Ce lien ou ce code a expiré ou a déjà été utilisé. Demandez-en un autre.',
    Default: 'Nous n’avons pas pu traiter cette demande. Revenez en arrière et réessayez.',
    OAuthSignin:
      'Nous n’avons pas pu joindre le fournisseur de connexion. Réessayez dans une minute.',
    OAuthCallback: tryAgain,
    OAuthCreateAccount: noAccount,
    OAuthAccountNotLinked: 'Connectez-vous de la même façon que la première fois.',
    EmailSignin: 'Nous n’avons pas pu envoyer l’e-mail. Vérifiez l’adresse et réessayez.',
    EmailCreateAccount: noAccount,
    CredentialsSignin: 'Ces informations ne correspondent pas. Vérifiez-les et réessayez.',
    Callback: tryAgain,
    SessionRequired: 'Connectez-vous pour voir cette page.',
    ConfirmationRequired: 'Confirmez que c’est bien vous, puis réessayez.',
    SecondFactorRequired: 'Prouvez avec un second facteur que c’est bien vous.',
    Csrf: 'Cette page a expiré. Rien n’a été modifié. Réessayez.',
    Cancelled: 'Vous avez annulé la connexion. Vous pouvez réessayer à tout moment.',
    RateLimited: 'Trop de tentatives. Patientez un peu et réessayez.',
    Unavailable: 'Ce service n’est pas disponible pour le moment. Réessayez dans une minute.',
  },
}
