import { ArgsType, InputType, ObjectType } from 'type-graphql'
import { InputField, OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { Json } from '../../kernel/record/scalars.ts'
import { namedMax, pathMax } from './bounds.ts'
import { MetadataFormat } from './deployment.enumerations.ts'
import { MetadataType } from './metadata-type.ts'

const file = 'src/fields/ACCOUNT.tier.field.json'
const version = 'k3VYw1kqfG2oG0y7l1cTj0m2o7Q3n9mJ0d8yqL2eXxA'

@InputType({ description: 'A component, by its type and name.' })
export class MetadataComponentInput {
  @InputField(() => MetadataType, { description: 'Its type.', example: 'CUSTOM_FIELD' })
  type!: MetadataType

  @InputField(() => String, {
    max: pathMax,
    filled: true,
    description: 'Its name, as in the path of its file: `ACCOUNT.tier`.',
    example: 'ACCOUNT.tier',
  })
  name!: string
}

@ArgsType()
export class MetadataRetrieveArgs {
  @InputField(() => MetadataType, {
    nullable: true,
    list: true,
    maxItems: Object.keys(MetadataType).length,
    description: 'Types of which all components are retrieved. Without `types` and `components`: all.',
    example: ['CUSTOM_OBJECT', 'CUSTOM_FIELD'],
  })
  types!: MetadataType[] | null

  @InputField(() => MetadataComponentInput, {
    nullable: true,
    list: true,
    maxItems: namedMax,
    description: 'Further components, each of which must exist.',
  })
  components!: MetadataComponentInput[] | null

  @InputField(() => MetadataFormat, { default: 'FILES', description: 'How the files are returned.', example: 'FILES' })
  format!: MetadataFormat
}

@ObjectType({ description: 'What is in no file, or to be done by an administrator.' })
export class MetadataWarning {
  @OutputField(() => MetadataType, {
    nullable: true,
    description: 'The type of the component; null for all of them.',
    example: 'CUSTOM_FIELD',
  })
  type!: MetadataType | null

  @OutputField(() => String, {
    nullable: true,
    description: 'Name of the component; null for all of them.',
    example: 'ACCOUNT.tier',
  })
  name!: string | null

  @OutputField(() => String, {
    description: 'What is to be known or done.',
    example: 'The format has no property for isIndexed; it is not in the file.',
  })
  message!: string
}

@ObjectType({ description: 'What an organization has defined, as files.' })
@RequiresScopes('MANAGE_METADATA')
export class MetadataRetrieval {
  @OutputField(() => String, {
    description:
      'Version of all that the organization has defined: a digest of all files, and of the fields that it added to objects of apps. A setting that the format has no property for does not change it. `expectedVersion` of a deployment takes it.',
    example: version,
  })
  version!: string

  @OutputField(() => Json, {
    nullable: true,
    description: 'The texts of the files by their paths; null with the format ZIP.',
    example: { [file]: '{\n  "entity": "ACCOUNT",\n  "name": "tier",\n  "label": "Tier",\n  "fieldType": "TEXT"\n}\n' },
  })
  files!: Record<string, string> | null

  @OutputField(() => String, {
    nullable: true,
    description: 'The ZIP archive in base64; null with the format FILES. Equal files give equal archives.',
    example: null,
  })
  zip!: string | null

  @OutputField(() => MetadataWarning, {
    list: true,
    description:
      'What is not in the files: settings of the components that the format has no property for, and fields that the organization added to objects of apps.',
  })
  warnings!: MetadataWarning[]
}
