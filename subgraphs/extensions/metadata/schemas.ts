import type { FileSchema } from '../../kernel/metadata/file-schema.ts'
import { metadataComponent } from '../../kernel/metadata/component.ts'
import { manifestSchema } from '../app/manifest-schema.ts'
import { functionTestSchema } from '../function-test/function-test.schema.ts'
import type { MetadataSchemaType } from './metadata-type.ts'
import { deletionSchema, projectSchema } from './project-file.ts'

/** The schema of a kind of file. */
export function fileSchemaOf(type: MetadataSchemaType): FileSchema {
  if (type === 'FUNCTION_TEST') return functionTestSchema
  if (type === 'PROJECT') return projectSchema
  if (type === 'APP') return manifestSchema
  if (type === 'DESTRUCTIVE_CHANGES') return deletionSchema
  const schema = metadataComponent(type)?.schema
  if (!schema) throw new Error(`The component type ${type} has no schema.`)
  return schema
}
