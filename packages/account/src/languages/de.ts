import type { AccountTranslation } from '../texts.ts'

/** German. */
export const de: AccountTranslation = {
  capabilities: {
    account: {
      heading: 'Ihr Konto',
      saved: 'Ihre Änderungen sind gespeichert.',
      profile: 'Ihre Angaben',
      save: 'Speichern',
      notVerified: 'nicht bestätigt',
      changeEmail: 'E-Mail-Adresse ändern',
      changeEmailText:
        'Wir senden einen Link an die neue E-Mail-Adresse. Öffnen Sie ihn in diesem Browser.',
      addWay: 'Anmeldemethode hinzufügen',
      rename: 'Ändern',
      sessions: 'Wo Sie angemeldet sind',
      thisBrowser: 'Dieser Browser',
      unknownBrowser: 'Unbekannter Browser',
      since: 'Angemeldet am {name}',
      endSession: 'Dort abmelden',
      endOtherSessions: 'Überall sonst abmelden',
      deleteAccount: 'Konto löschen',
      deleteText:
        'Ihr Konto und alles, was dazugehört, werden gelöscht. Das lässt sich nicht rückgängig machen.',
      deleted: 'Ihr Konto ist gelöscht',
      deletedText: 'Sie sind überall abgemeldet.',
      emailTaken:
        'Ein anderes Konto hat diese E-Mail-Adresse. Ihre E-Mail-Adresse wurde nicht geändert.',
      profileText: 'Ihr Name und die E-Mail-Adresse, an die wir schreiben.',
      waysText:
        'Mit jeder davon können Sie sich anmelden. Behalten Sie zwei, falls Sie eine verlieren.',
      sessionsText: 'Beenden Sie, was Sie nicht erkennen.',
      removeHeading: '„{name}“ entfernen?',
      removeText:
        'Wenn Sie das entfernen, können Sie sich damit nicht mehr anmelden. Sie können es später wieder hinzufügen.',
    },
    securityEmails: {
      changes: {
        newBrowser: 'Ein neuer Browser hat sich bei Ihrem Konto bei {name} angemeldet',
        factorAdded: 'Ein zweiter Faktor wurde Ihrem Konto bei {name} hinzugefügt',
        factorRemoved: 'Ein zweiter Faktor wurde von Ihrem Konto bei {name} entfernt',
        recoveryCodeUsed: 'Ein Wiederherstellungscode Ihres Kontos bei {name} wurde verwendet',
        recoveryCodesReplaced:
          'Für Ihr Konto bei {name} wurden neue Wiederherstellungscodes erstellt',
        secondFactorFailed: 'Für Ihr Konto bei {name} wurden viele falsche Codes eingegeben',
        passwordChanged: 'Das Passwort Ihres Kontos bei {name} wurde geändert',
        emailChanged: 'Die E-Mail-Adresse Ihres Kontos bei {name} wurde geändert',
        accountLinked: 'Ihrem Konto bei {name} wurde eine Anmeldeart hinzugefügt',
        accountUnlinked: 'Von Ihrem Konto bei {name} wurde eine Anmeldeart entfernt',
        applicationAllowed: 'Einer Anwendung wurde die Nutzung Ihres Kontos bei {name} erlaubt',
        applicationReused: 'Der Zugriff einer Anwendung auf Ihr Konto bei {name} wurde beendet',
      },
      time: 'Zeit: {name}',
      browser: 'Verwendeter Browser: {name}',
      detail: 'Bezeichnung: {name}',
      further: 'Seit unserer letzten E-Mail gab es weitere Änderungen.',
      wasYou: 'Wenn Sie das waren, ignorieren Sie diese E-Mail.',
      wasNotYou: 'Wenn Sie das nicht waren, öffnen Sie diesen Link, um alle Sitzungen zu beenden:',
      note: 'Der Link gilt einmal und läuft in {name} ab.',
      endSessions: 'Alle Sitzungen beenden',
      endSessionsText:
        'Ihr Konto wird in jedem Browser abgemeldet. Melden Sie sich danach wieder an.',
      sessionsEnded: 'Alle Sitzungen sind beendet',
      sessionsEndedText:
        'Ihr Konto ist in jedem Browser abgemeldet. Melden Sie sich wieder an und prüfen Sie, was geändert wurde.',
    },
  },
}
