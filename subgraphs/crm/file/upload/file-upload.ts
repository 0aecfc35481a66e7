import { ID, Int, ObjectType } from 'type-graphql'
import { OutputField } from '../../../kernel/record/declared-value.ts'
import { RequiresScope } from '../../../kernel/record/requires-scope.ts'

/** Bytes of each part but the last one. */
export const partBytes = 8_388_608

@ObjectType({ description: 'How far the upload of a file in parts is.' })
@RequiresScope('FILES')
export class FileUpload {
  @OutputField(() => ID, { description: 'Id of the file.', example: '019a0c5e-7f00-7b1d-8e4f-3a9c5d7e2f60' })
  id!: string

  @OutputField(() => Int, { description: 'Bytes of the whole file.', example: 48_213_000 })
  size!: number

  @OutputField(() => Int, {
    description: 'Bytes of each part but the last one, which has the remaining ones.',
    example: partBytes,
  })
  partSize!: number

  @OutputField(() => Int, { description: 'Number of parts. They are numbered from 1.', example: 6 })
  partCount!: number

  @OutputField(() => Int, {
    list: true,
    description: 'The parts that have arrived, in ascending order; no other must be sent again.',
    example: [1, 2, 3],
  })
  receivedParts!: number[]
}
