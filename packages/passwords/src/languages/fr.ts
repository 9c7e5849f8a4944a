import type { PasswordTranslation } from '../texts.ts'

/** French. */
export const fr: PasswordTranslation = {
  capabilities: {
    passwords: {
      password: 'Mot de passe',
      forgot: 'Mot de passe oublié ?',
      forgotText:
        'Saisissez votre adresse e-mail. Nous vous envoyons un lien pour choisir un nouveau mot de passe.',
      newHere: 'Nouveau ici ?',
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
      needsEmail:
        'Un mot de passe nécessite une adresse e-mail vérifiée. Vérifiez d’abord la vôtre.',
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
  },
}
