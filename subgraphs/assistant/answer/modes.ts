import { invalid } from '../../kernel/errors.ts'
import type { Settings } from '../../kernel/config/settings.ts'
import type { AssistantMode } from '../conversation/conversation.enumerations.ts'

/** The mode of an answer. Without a wish it is the model, if there is one. */
export function chosenMode(
  { modelModes }: Pick<Settings, 'modelModes'>,
  wanted: AssistantMode | null | undefined,
): AssistantMode {
  if (!wanted) return modelModes.includes('model') ? 'model' : 'local'
  if (wanted === 'local' || wanted === 'documents' || modelModes.includes(wanted)) return wanted
  const message = `No language model is configured for the mode ${wanted}; use local.`
  throw invalid({ path: 'mode', code: 'MODE_NOT_CONFIGURED', message })
}
