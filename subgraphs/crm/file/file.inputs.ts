import { ObjectType } from 'type-graphql'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { file } from './file.record.ts'

export const fileTypes = operationTypes(file, 'FILES')

@ObjectType({ description: 'A link to download a file without credentials.' })
@RequiresScope('FILES')
export class FileDownloadLink {
  @OutputField(() => String, {
    description:
      'Absolute URL. Whoever has it can download this file, and no other, until it expires; not if the file or its record is deleted.',
    example:
      'https://crm.example.com/v1/public/files/AZoMXn8AevKoEAAAAAAAAQGaDF5_AHsgjzQtm-HAemZpuYtVxRz3fWm0Kk8m1cTvJQ',
  })
  downloadUrl!: string

  @OutputField(() => DateTime, {
    description: 'When the link expires, five minutes after the request.',
    example: '2026-11-02T08:20:00.000Z',
  })
  expiresAt!: string
}
