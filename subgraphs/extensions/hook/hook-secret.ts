import { sealedSigningColumns, signingSecretPlace } from '../../kernel/secrets/signing-secret.ts'

const table = 'extensions.before_save_hook'

/** The place that both signing secrets of a hook are sealed for. */
export const hookSecretPlace = signingSecretPlace(table)

export const sealedHookSecrets = sealedSigningColumns(table)
