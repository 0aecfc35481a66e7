import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ID, Int, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { fileParentNames, FileStatus } from './file.enumerations.ts'

/** Set by the upload alone. */
const uploaded = { nullable: true, writable: 'NEVER' } as const

@ObjectType({
  description:
    'A file, attached to a record or not. Exactly those who see the record see it; without a record, its owner alone does.',
})
@Directive('@key(fields: "id")')
@RequiresScope('FILES')
@Entity({ schema: 'crm', tableName: 'file' })
export class File extends OrgRecord {
  @Column(() => String, {
    indexed: true,
    max: 255,
    filled: true,
    description:
      'Name of the file. It never names a place on the server; in a download, `/`, `\\`, control characters and marks of direction are replaced by `_`.',
    example: 'Floor plan of hall 3.pdf',
  })
  name!: string

  @Column(() => FileStatus, {
    indexed: true,
    default: 'UPLOADING',
    writable: 'NEVER',
    description: 'Whether its bytes have arrived.',
    example: 'READY',
  })
  status!: FileStatus

  @Column(() => String, {
    decidesEdges: true,
    nullable: true,
    max: 70,
    description: `Type of the record to which it is attached: ${fileParentNames}, such as \`custom:site_visit\`. The files of a received mail are attached to the EMAIL. A custom object that the organization does not have is refused with UNKNOWN_REFERENCE. Null exactly if \`relatedToId\` is null: then its owner alone sees it.`,
    example: 'OPPORTUNITY',
  })
  relatedToType!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description: 'Id of the record to which it is attached, a live record that the caller sees; null if there is none.',
    example: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41',
  })
  relatedToId!: string | null

  @Column(() => String, {
    ...uploaded,
    max: 127,
    description:
      'Media type, found from the bytes and never from what the client says; `application/octet-stream` if it is not known. Null while it is UPLOADING.',
    example: 'application/pdf',
  })
  contentType!: string | null

  @Column(() => Int, { ...uploaded, description: 'Number of bytes; null while it is UPLOADING.', example: 48_213 })
  size!: number | null

  @Column(() => String, {
    ...uploaded,
    max: 64,
    description: 'SHA-256 of the bytes in hexadecimal; null while it is UPLOADING.',
    example: '6899ee404683a14e8c2a03149860df25d67d34d9cd4dae7350cbe91e4b3976be',
  })
  sha256!: string | null

  /** The file of `kernel.file`; null before it has arrived and after its bytes are deleted. */
  @Column(() => ID, { ...uploaded, internal: true })
  contentId!: string | null
}
