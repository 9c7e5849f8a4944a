import type { PasskeyTranslation } from '../texts.ts'

/** French. */
export const fr: PasskeyTranslation = {
  capabilities: {
    passkeys: {
      name: 'Clé d’accès',
      signIn: 'Se connecter avec une clé d’accès',
      confirm: 'Confirmer avec une clé d’accès',
      second: 'Utiliser une clé d’accès',
      add: 'Ajouter une clé d’accès',
      create: 'Créer une clé d’accès',
      createText:
        'Avec une clé d’accès, vous vous connectez comme vous déverrouillez votre appareil, sans code ni mot de passe.',
      waiting: 'Continuez dans la fenêtre de votre navigateur…',
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
  },
}
