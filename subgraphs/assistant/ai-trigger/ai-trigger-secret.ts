import { randomBytes } from 'node:crypto'
import { sealedSigningColumns, signingSecretPlace } from '../../kernel/secrets/signing-secret.ts'

const table = 'assistant.ai_trigger'

export const newInboundToken = (): string => randomBytes(32).toString('base64url')

/** The place that both secrets of a trigger are sealed for. */
export const secretPlace = signingSecretPlace(table)

export const sealedTriggerColumns = sealedSigningColumns(table)
