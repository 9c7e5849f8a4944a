/** The migrations of a storage with factors and grants, in order. */
export const migrationNames: readonly string[] = [
  '0001_initial',
  '0002_revocations',
  '0003_identities',
  '0004_events',
  '0005_factors',
  '0006_steps',
  '0007_unverified_emails',
  '0008_account_times',
  '0009_grants',
]
