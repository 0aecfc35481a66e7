import { phases } from '../../kernel/metadata/component.ts'
import { recordComponent } from '../../kernel/metadata/record-component.ts'
import { apiNamePattern } from '../function/bounds.ts'
import { createCredential, deleteCredential, updateCredential } from './named-credential.actions.ts'
import { namedCredential } from './named-credential.record.ts'
import { losesSecret } from './named-credential.rules.ts'

export const namedCredentialComponent = recordComponent({
  type: 'NAMED_CREDENTIAL',
  noun: 'named credential',
  description:
    'How requests to one address authenticate, without the secret: credentials/<apiName>.credential.json. A new one that needs a secret arrives inactive.',
  folder: 'credentials',
  suffix: '.credential.json',
  phase: phases.credentials,
  definition: namedCredential,
  properties: {
    apiName: { rules: { pattern: apiNamePattern.source } },
    label: {},
    description: {},
    baseUrl: { rules: { format: 'uri', pattern: '^https://' } },
    authType: { fallback: 'NONE' },
    headerName: {},
    username: {},
    tokenUrl: { rules: { format: 'uri' } },
    clientId: {},
    scopes: {},
    staticHeaders: { rules: { type: 'object', additionalProperties: { type: 'string' } } },
    timeoutMs: {},
  },
  // A credential is turned on where its secret is set.
  leftOut: ['isActive'],
  required: ['apiName', 'label', 'baseUrl'],
  nameOf: ({ apiName }) => String(apiName),
  create: (ctx, values) => createCredential(ctx, { ...values, isActive: values.authType === 'NONE' }),
  update: updateCredential,
  remove: deleteCredential,
  missingSecrets: (values, row) => {
    const isSet = row?.secretStatus === 'SET' && !losesSecret(row, values)
    return values.authType === 'NONE' || isSet ? [] : ['secret']
  },
})
