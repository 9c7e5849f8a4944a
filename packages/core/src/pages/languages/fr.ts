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
  secondFactor: {
    heading: 'Seconde étape',
    text: 'Prouvez avec un second facteur que c’est bien vous.',
    code: 'Code de votre application d’authentification',
    recoveryCode: 'Code de secours',
    enrol: 'Configurer une application d’authentification',
    enrolText:
      'Scannez l’image avec votre application d’authentification ou saisissez-y la clé. Saisissez ensuite ici le code que l’application affiche.',
    required: 'Un second facteur est requis ici.',
    picture: 'Code QR pour votre application d’authentification',
    openApp: 'Ouvrir dans une application de cet appareil',
    key: 'Clé',
    codes: 'Vos codes de secours',
    codesText:
      'Conservez ces codes en lieu sûr. Chacun remplace une fois votre second facteur. Ils ne seront plus affichés.',
    remember: 'Ne pas demander dans ce navigateur pendant {name}',
    tooMany: 'Vous en avez déjà 20. Retirez-en un d’abord.',
    changed: 'Ceci a été modifié ailleurs. Réessayez.',
  },
  account: {
    heading: 'Votre compte',
    saved: 'Vos modifications sont enregistrées.',
    profile: 'Vos informations',
    name: 'Nom',
    save: 'Enregistrer',
    notVerified: 'non vérifiée',
    changeEmail: 'Modifier l’adresse e-mail',
    changeEmailText:
      'Nous enverrons un lien à la nouvelle adresse e-mail. Ouvrez-le dans ce navigateur.',
    ways: 'Moyens de connexion',
    addWay: 'Ajouter un moyen de connexion',
    remove: 'Retirer',
    factors: 'Seconde étape',
    noFactors:
      'Ajoutez une seconde étape pour que l’accès à vos e-mails ne suffise pas à lui seul pour se connecter.',
    totp: 'Application d’authentification',
    recovery: 'Codes de secours',
    newCodes: 'Créer de nouveaux codes de secours',
    rename: 'Modifier',
    added: 'Ajout le {name}',
    lastUsed: 'dernière utilisation le {name}',
    sessions: 'Vos sessions ouvertes',
    thisBrowser: 'Ce navigateur',
    unknownBrowser: 'Navigateur inconnu',
    since: 'Session ouverte le {name}',
    endSession: 'Fermer cette session',
    endOtherSessions: 'Fermer toutes les autres sessions',
    deleteAccount: 'Supprimer le compte',
    deleteText:
      'Votre compte et tout ce qui s’y rattache seront supprimés. Cette action est irréversible.',
    deleteSure: 'Je veux supprimer mon compte',
    deleted: 'Votre compte est supprimé',
    deletedText: 'Toutes vos sessions sont fermées.',
    isEmail: 'C’est votre adresse e-mail. Modifiez-la pour la retirer.',
    lastWay: 'C’est votre seul moyen de connexion. Ajoutez-en d’abord un autre.',
    lastFactor: 'Une seconde étape est requise ici. Ajoutez-en d’abord une autre.',
    invalidName: 'Saisissez un nom de {name} caractères au maximum.',
    gone: 'Cet élément n’existe plus. Il a peut-être été modifié dans une autre fenêtre.',
    emailTaken:
      'Un autre compte utilise cette adresse e-mail. Votre adresse e-mail n’a pas été modifiée.',
  },
  securityEmails: {
    changes: {
      newBrowser: 'Un nouveau navigateur s’est connecté à votre compte {name}',
      factorAdded: 'Un second facteur a été ajouté à votre compte {name}',
      factorRemoved: 'Un second facteur a été retiré de votre compte {name}',
      recoveryCodeUsed: 'Un code de secours de votre compte {name} a été utilisé',
      recoveryCodesReplaced: 'De nouveaux codes de secours ont été créés pour votre compte {name}',
      secondFactorFailed: 'De nombreux codes incorrects ont été saisis pour votre compte {name}',
      passwordChanged: 'Le mot de passe de votre compte {name} a été modifié',
      emailChanged: 'L’adresse e-mail de votre compte {name} a été modifiée',
      accountLinked: 'Un moyen de connexion a été ajouté à votre compte {name}',
      accountUnlinked: 'Un moyen de connexion a été retiré de votre compte {name}',
    },
    time: 'Date : {name}',
    browser: 'Navigateur : {name}',
    detail: 'Nom : {name}',
    further: 'Il y a eu d’autres modifications depuis notre dernier e-mail.',
    wasYou: 'Si c’était vous, ignorez cet e-mail.',
    wasNotYou: 'Si ce n’était pas vous, ouvrez ce lien pour fermer toutes les sessions :',
    note: 'Le lien ne fonctionne qu’une fois et expire dans {name}.',
    endSessions: 'Fermer toutes les sessions',
    endSessionsText:
      'Votre compte sera déconnecté dans tous les navigateurs. Connectez-vous ensuite à nouveau.',
    sessionsEnded: 'Toutes les sessions sont fermées',
    sessionsEndedText:
      'Votre compte est déconnecté dans tous les navigateurs. Connectez-vous à nouveau et vérifiez ce qui a été modifié.',
  },
  passwords: {
    password: 'Mot de passe',
    forgot: 'Mot de passe oublié ?',
    forgotText:
      'Saisissez votre adresse e-mail. Nous vous envoyons un lien pour choisir un nouveau mot de passe.',
    register: 'Créer un compte',
    registerText:
      'Saisissez votre adresse e-mail. Nous vous envoyons un lien pour choisir un mot de passe.',
    send: 'Envoyer le lien',
    choose: 'Choisissez un mot de passe',
    chooseText:
      'Utilisez au moins {name} caractères. Plusieurs mots sans rapport entre eux conviennent bien.',
    newPassword: 'Nouveau mot de passe',
    save: 'Enregistrer le mot de passe',
    change: 'Changer de mot de passe',
    changeText: 'Vous serez ensuite déconnecté partout ailleurs.',
    add: 'Ajouter un mot de passe',
    tooShort: 'Choisissez un mot de passe d’au moins {name} caractères.',
    tooLong: 'Choisissez un mot de passe de {name} caractères au maximum.',
    unusable: 'Ce mot de passe contient des caractères inutilisables. Choisissez-en un autre.',
    breached:
      'Ce mot de passe est connu à la suite d’une fuite de données. Choisissez-en un autre.',
    otherUser: 'Vous êtes connecté en tant que {name}. Cette page concerne un autre compte.',
    needsEmail: 'Un mot de passe nécessite une adresse e-mail vérifiée. Vérifiez d’abord la vôtre.',
    otherBrowser:
      'Ouvrez ce lien dans le navigateur où vous avez saisi votre mot de passe. Si ce n’était pas vous, fermez cette page : rien ne s’est passé.',
    waysText:
      'Votre nouveau mot de passe est enregistré. Les éléments suivants font aussi partie de votre compte. Retirez ceux que vous ne reconnaissez pas.',
    mails: {
      create: {
        subject: 'Créez votre compte {name}',
        text: 'Ouvrez ce lien pour choisir un mot de passe pour votre nouveau compte {name} :',
        button: 'Choisir un mot de passe',
      },
      reset: {
        subject: 'Choisissez un nouveau mot de passe pour {name}',
        text: 'Ouvrez ce lien pour choisir un nouveau mot de passe pour votre compte {name} :',
        button: 'Choisir un nouveau mot de passe',
      },
      elsewhere: {
        subject: 'Votre compte {name}',
        text: 'Vous avez un compte {name} sans mot de passe. Connectez-vous d’abord ; vous pourrez ensuite en ajouter un :',
        button: 'Se connecter',
      },
      prove: {
        subject: 'Vérifiez votre adresse e-mail pour {name}',
        text: 'Ouvrez ce lien dans le navigateur où vous venez de saisir votre mot de passe pour {name} :',
        button: 'Vérifier l’adresse e-mail',
      },
      ways: 'Vous pouvez aussi vous connecter avec {name}.',
      ignore: 'Si vous n’avez pas demandé cet e-mail, ignorez-le.',
    },
  },
  passkeys: {
    name: 'Clé d’accès',
    signIn: 'Se connecter avec une clé d’accès',
    confirm: 'Confirmer avec une clé d’accès',
    second: 'Utiliser une clé d’accès',
    add: 'Ajouter une clé d’accès',
    create: 'Créer une clé d’accès',
    createText:
      'Avec une clé d’accès, vous vous connectez comme vous déverrouillez votre appareil, sans code ni mot de passe.',
    notNow: 'Pas maintenant',
    synchronised: 'synchronisée',
    notSynchronised: 'sur un seul appareil',
    refused:
      'Cette clé d’accès n’a pas fonctionné. Réessayez ou utilisez un autre moyen de connexion.',
    unknown: 'Cette clé d’accès n’est pas connue ici. Utilisez un autre moyen de connexion.',
    failed:
      'Votre navigateur n’a pas pu utiliser de clé d’accès. Réessayez ou utilisez un autre moyen.',
    registered: 'Cet appareil a déjà une clé d’accès pour votre compte.',
    tooMany: 'Vous avez déjà 20 clés d’accès. Retirez-en une d’abord.',
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
