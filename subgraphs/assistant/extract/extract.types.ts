import { Float, ID, InputType, Int, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { InputField, OutputField } from '../../kernel/record/declared-value.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'

export const contentCharactersMax = 20_000

export const ArtifactType = enumeration('TextArtifactType', 'What a part of a text is.', {
  CODE: 'A block of code.',
  TABLE: 'A table.',
  LIST: 'A list of two or more items.',
})
export type ArtifactType = keyof typeof ArtifactType

export const ExtractionSource = enumeration('TextExtractionSource', 'How the companies of a text were found.', {
  RULES: 'By legal forms, capital letters and names of accounts that the caller sees.',
  MODEL: 'By the language model; only names that the text has.',
})
export type ExtractionSource = keyof typeof ExtractionSource

@InputType({ description: 'A text of which artifacts and companies are looked for.' })
export class MetadataExtractInput {
  @InputField(() => String, {
    max: contentCharactersMax,
    filled: true,
    description: 'The text.',
    example: 'We met Ida Berg from Halvorsen Marine AS.',
  })
  content!: string
}

@ObjectType({ description: 'A part of a text with a form of its own.' })
@RequiresScope('CONVERSATIONS')
export class TextArtifact {
  @OutputField(() => ArtifactType, { description: 'What it is.', example: 'LIST' })
  type!: ArtifactType

  @OutputField(() => String, { description: 'Its first line, shortened to 100 characters.', example: 'Berths' })
  title!: string

  @OutputField(() => Int, { description: 'Index of its first character.', example: 0 })
  start!: number

  @OutputField(() => Int, { description: 'Index after its last character.', example: 42 })
  end!: number
}

@ObjectType({ description: 'A company that a text names.' })
@RequiresScope('CONVERSATIONS')
export class TextCompany {
  @OutputField(() => String, { description: 'Its name as in the text.', example: 'Halvorsen Marine AS' })
  name!: string

  @NamesRecord('account')
  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the account with this name that the caller sees; null if there is none.',
    example: '019a0c5e-7f00-7b20-8f34-2d9be1c07a66',
  })
  accountId!: string | null

  @OutputField(() => Float, {
    description:
      'How likely it is a company, 0 to 1: 1 for an account, 0.9 with a legal form, 0.8 by the model, 0.5 by its place in a sentence.',
    example: 1,
  })
  confidence!: number
}

@ObjectType({ description: 'What was found in a text.' })
@RequiresScope('CONVERSATIONS')
export class ExtractedMetadata {
  @OutputField(() => TextArtifact, { list: true, description: 'The artifacts, in their order.' })
  artifacts!: TextArtifact[]

  @OutputField(() => TextCompany, { list: true, description: 'The companies, each once, in their order.' })
  companies!: TextCompany[]

  @OutputField(() => ExtractionSource, { description: 'How the companies were found.', example: 'RULES' })
  source!: ExtractionSource
}
