import { CORE_SCHEMA, load, mergeTag } from 'js-yaml'

const schema = CORE_SCHEMA.withTags(mergeTag)

/** Parses YAML 1.2 with merge keys (`<<`). */
export const parseYaml = (text: string): unknown => load(text, { schema })
