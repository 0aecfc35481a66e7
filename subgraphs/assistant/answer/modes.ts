import { invalid } from '../../kernel/errors.ts'
import type { ModelUser } from '../../kernel/language-model/language-model.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { organizationSettings } from '../../identity/public.ts'
import type { AssistantMode } from '../conversation/conversation.enumerations.ts'

/** Whether a configured provider answers this user. */
export const hasModel = ({ settings }: Pick<RequestContext, 'settings'>, { isProviderOff }: ModelUser): boolean =>
  settings.modelModes.includes('model') && !isProviderOff

/** The mode of an answer. Without a wish it is the model, if there is one and the organization permits it. */
export async function chosenMode(
  ctx: RequestContext,
  wanted: AssistantMode | null | undefined,
): Promise<AssistantMode> {
  const { disabledAssistantModes: disabled = [] } = await organizationSettings(ctx)
  const { modelModes } = ctx.settings
  if (!wanted) return modelModes.includes('model') && !disabled.includes('model') ? 'model' : 'local'
  if (disabled.includes(wanted)) {
    const message = `Your organization has switched off the mode ${wanted}; use local.`
    throw invalid({ path: 'mode', code: 'MODE_DISABLED', message })
  }
  if (wanted === 'local' || wanted === 'documents' || modelModes.includes(wanted)) return wanted
  const message = `No language model is configured for the mode ${wanted}; use local.`
  throw invalid({ path: 'mode', code: 'MODE_NOT_CONFIGURED', message })
}
