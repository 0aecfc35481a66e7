import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { File } from './file.ts'

export const fileEvents: RecordEvents<File> = {
  types: {
    'file.created': {
      operation: 'CREATE',
      description:
        'A file was added. Its bytes arrive afterwards, unless it is READY: the files of received mails are.',
    },
    'file.updated': {
      operation: 'UPDATE',
      description: 'A file was renamed or attached to another record, or its labels or custom fields changed.',
      before: { name: 'Floor plan.pdf' },
    },
    'file.uploaded': {
      operation: 'UPDATE',
      description: 'The bytes of a file have arrived: it is READY. Instead of `file.updated`.',
      before: { status: 'UPLOADING', contentType: null, size: null, sha256: null },
    },
    'file.deleted': {
      operation: 'DELETE',
      description: 'A file was deleted. It can be restored for seven days; then its bytes are deleted.',
    },
    'file.restored': { operation: 'RESTORE', description: 'A deleted file was restored.' },
  },
}
