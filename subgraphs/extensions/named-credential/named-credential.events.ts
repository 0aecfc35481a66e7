import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { NamedCredential } from './named-credential.ts'

export const namedCredentialEvents: RecordEvents<NamedCredential> = {
  types: {
    'named_credential.created': {
      operation: 'CREATE',
      description: 'A named credential was created. Events of named credentials contain no secrets.',
    },
    'named_credential.updated': {
      operation: 'UPDATE',
      description:
        'A named credential was changed, or its secret was set; previous holds the credential before the change and changedFields lists the changed fields.',
      before: { isActive: false },
    },
    'named_credential.deleted': {
      operation: 'DELETE',
      description: 'A named credential was deleted, with its secret and its tokens.',
    },
  },
}
