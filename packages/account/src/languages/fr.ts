import type { AccountTranslation } from '../texts.ts'

/** French. */
export const fr: AccountTranslation = {
  capabilities: {
    account: {
      heading: 'Votre compte',
      saved: 'Vos modifications sont enregistrées.',
      profile: 'Vos informations',
      save: 'Enregistrer',
      notVerified: 'non vérifiée',
      changeEmail: 'Modifier l’adresse e-mail',
      changeEmailText:
        'Nous enverrons un lien à la nouvelle adresse e-mail. Ouvrez-le dans ce navigateur.',
      addWay: 'Ajouter un moyen de connexion',
      rename: 'Modifier',
      sessions: 'Vos sessions ouvertes',
      thisBrowser: 'Ce navigateur',
      unknownBrowser: 'Navigateur inconnu',
      since: 'Session ouverte le {name}',
      endSession: 'Fermer cette session',
      endOtherSessions: 'Fermer toutes les autres sessions',
      deleteAccount: 'Supprimer le compte',
      deleteText:
        'Votre compte et tout ce qui s’y rattache seront supprimés. Cette action est irréversible.',
      deleted: 'Votre compte est supprimé',
      deletedText: 'Toutes vos sessions sont fermées.',
      emailTaken:
        'Un autre compte utilise cette adresse e-mail. Votre adresse e-mail n’a pas été modifiée.',
      profileText: 'Votre nom et l’adresse e-mail à laquelle nous écrivons.',
      waysText:
        'Chacun vous permet de vous connecter. Gardez-en deux au cas où vous en perdriez un.',
      sessionsText: 'Fermez celles que vous ne reconnaissez pas.',
      removeHeading: 'Retirer « {name} » ?',
      removeText:
        'Si vous le retirez, vous ne pourrez plus vous connecter ainsi. Vous pourrez l’ajouter de nouveau plus tard.',
    },
    securityEmails: {
      changes: {
        newBrowser: 'Un nouveau navigateur s’est connecté à votre compte {name}',
        factorAdded: 'Un second facteur a été ajouté à votre compte {name}',
        factorRemoved: 'Un second facteur a été retiré de votre compte {name}',
        recoveryCodeUsed: 'Un code de secours de votre compte {name} a été utilisé',
        recoveryCodesReplaced:
          'De nouveaux codes de secours ont été créés pour votre compte {name}',
        secondFactorFailed: 'De nombreux codes incorrects ont été saisis pour votre compte {name}',
        passwordChanged: 'Le mot de passe de votre compte {name} a été modifié',
        emailChanged: 'L’adresse e-mail de votre compte {name} a été modifiée',
        accountLinked: 'Un moyen de connexion a été ajouté à votre compte {name}',
        accountUnlinked: 'Un moyen de connexion a été retiré de votre compte {name}',
        applicationAllowed: 'Une application a été autorisée à utiliser votre compte {name}',
        applicationReused: 'L’accès d’une application à votre compte {name} a pris fin',
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
  },
}
