import { sealedSigningColumns, signingSecretPlace } from '../../kernel/secrets/signing-secret.ts'

const table = 'extensions.custom_action'

/** The place that both signing secrets of an action are sealed for. */
export const actionSecretPlace = signingSecretPlace(table)

export const sealedActionSecrets = sealedSigningColumns(table)
