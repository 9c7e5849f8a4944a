import type { SecondFactorTranslation } from '../texts.ts'

/** Italian. */
export const it: SecondFactorTranslation = {
  capabilities: {
    secondFactor: {
      totp: 'App di autenticazione',
      recovery: 'Codici di recupero',
      heading: 'Secondo passaggio',
      text: 'Dimostra con un secondo fattore che sei tu.',
      code: 'Codice della tua app di autenticazione',
      recoveryCode: 'Codice di recupero',
      useApp: 'Usa l’app di autenticazione',
      useRecoveryCode: 'Usa un codice di recupero',
      enrol: 'Configura un’app di autenticazione',
      enrolText:
        'Scansiona l’immagine con la tua app di autenticazione oppure inserisci la chiave nell’app. Poi inserisci qui il codice che l’app mostra.',
      required: 'Qui è richiesto un secondo fattore.',
      choose: 'Scegli un secondo fattore. Ti verrà poi chiesto quando accedi.',
      picture: 'Codice QR per la tua app di autenticazione',
      openApp: 'Apri in un’app su questo dispositivo',
      key: 'Chiave',
      codes: 'I tuoi codici di recupero',
      codesText:
        'Conserva questi codici in un luogo sicuro. Ognuno sostituisce una volta il tuo secondo fattore. Non verranno più mostrati.',
      download: 'Scarica come testo',
      saved: 'Ho salvato questi codici',
      remember: 'Non chiedere in questo browser per {name}',
      tooMany: 'Ne hai già 20. Prima rimuovine uno.',
      changed: 'È stato modificato altrove. Riprova.',
      accountText:
        'Con un secondo passaggio, la tua email o la tua password da sola non basta per accedere.',
      newCodes: 'Crea nuovi codici di recupero',
      removeText: 'Se lo rimuovi, non ti sarà più richiesto quando accedi.',
    },
  },
}
