import type { PasswordTranslation } from '../texts.ts'

/** German. */
export const de: PasswordTranslation = {
  capabilities: {
    passwords: {
      password: 'Passwort',
      forgot: 'Passwort vergessen?',
      forgotText:
        'Geben Sie Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Link, mit dem Sie ein neues Passwort wählen.',
      newHere: 'Neu hier?',
      register: 'Konto anlegen',
      registerText:
        'Geben Sie Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Link, mit dem Sie ein Passwort wählen.',
      send: 'Link senden',
      choose: 'Passwort wählen',
      chooseText:
        'Verwenden Sie mindestens {name} Zeichen. Gut sind mehrere Wörter, die nicht zusammengehören.',
      newPassword: 'Neues Passwort',
      save: 'Passwort speichern',
      change: 'Passwort ändern',
      changeText: 'Sie werden danach überall sonst abgemeldet.',
      add: 'Passwort hinzufügen',
      tooShort: 'Wählen Sie ein Passwort mit mindestens {name} Zeichen.',
      tooLong: 'Wählen Sie ein Passwort mit höchstens {name} Zeichen.',
      unusable:
        'Dieses Passwort enthält Zeichen, die nicht verwendet werden können. Wählen Sie ein anderes.',
      breached: 'Dieses Passwort ist aus einem Datenleck bekannt. Wählen Sie ein anderes.',
      otherUser: 'Sie sind als {name} angemeldet. Diese Seite ist für ein anderes Konto.',
      needsEmail:
        'Für ein Passwort ist eine bestätigte E-Mail-Adresse nötig. Bestätigen Sie zuerst Ihre.',
      otherBrowser:
        'Öffnen Sie diesen Link in dem Browser, in dem Sie Ihr Passwort eingegeben haben. Wenn Sie das nicht waren, schließen Sie diese Seite: Es ist nichts geschehen.',
      waysText:
        'Ihr neues Passwort ist gespeichert. Auch das Folgende gehört zu Ihrem Konto. Entfernen Sie, was Sie nicht kennen.',
      mails: {
        create: {
          subject: 'Konto bei {name} anlegen',
          text: 'Öffnen Sie diesen Link, um ein Passwort für Ihr neues Konto bei {name} zu wählen:',
          button: 'Passwort wählen',
        },
        reset: {
          subject: 'Neues Passwort für {name} wählen',
          text: 'Öffnen Sie diesen Link, um ein neues Passwort für Ihr Konto bei {name} zu wählen:',
          button: 'Neues Passwort wählen',
        },
        elsewhere: {
          subject: 'Ihr Konto bei {name}',
          text: 'Sie haben ein Konto bei {name}, ohne Passwort. Melden Sie sich zuerst an, dann können Sie eines hinzufügen:',
          button: 'Anmelden',
        },
        prove: {
          subject: 'E-Mail-Adresse für {name} bestätigen',
          text: 'Öffnen Sie diesen Link in dem Browser, in dem Sie gerade Ihr Passwort für {name} eingegeben haben:',
          button: 'E-Mail-Adresse bestätigen',
        },
        ways: 'Sie können sich auch so anmelden: {name}.',
        ignore: 'Wenn Sie diese E-Mail nicht angefordert haben, ignorieren Sie sie.',
      },
    },
  },
}
