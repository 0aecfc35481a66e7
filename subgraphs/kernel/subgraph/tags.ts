import { Kind, type ConstDirectiveNode } from 'graphql'

/** The names in the `@tag` directives of a schema element. */
export const tagsIn = (directives: readonly ConstDirectiveNode[] = []): string[] =>
  directives.flatMap(({ name, arguments: given }) => {
    const value = name.value === 'tag' ? given?.find((argument) => argument.name.value === 'name')?.value : undefined
    return value?.kind === Kind.STRING ? [value.value] : []
  })
