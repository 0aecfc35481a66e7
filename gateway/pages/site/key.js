const storageName = 'crm.apiKey'

/** The smallest operation that needs a credential. */
async function check(key) {
  try {
    const response = await fetch('/v1/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
      body: JSON.stringify({ query: '{ __typename }' }),
    })
    if (response.ok) return { state: 'accepted', text: 'Key accepted' }
    const answer = await response.json()
    return {
      state: 'refused',
      text: answer.errors?.[0]?.message ?? answer.detail ?? `Refused with ${response.status}`,
    }
  } catch {
    return { state: 'refused', text: 'The server does not answer.' }
  }
}

/**
 * Connects the bar's input and calls `onKey(key, state)` at once and for every new key; `state` is missing, accepted or
 * refused. The key lives in this tab: closing it forgets the key.
 */
export async function keyField(onKey) {
  const form = document.querySelector('form.key')
  const input = form.querySelector('input')
  const output = form.querySelector('output')
  let latest = null

  async function announce() {
    const key = input.value.trim()
    if (key === latest) return
    latest = key
    if (key) sessionStorage.setItem(storageName, key)
    else sessionStorage.removeItem(storageName)
    const { state, text } = key ? await check(key) : { state: 'missing', text: '' }
    // A slower answer about an earlier key says nothing about this one.
    if (key !== latest) return
    form.dataset.state = state
    output.value = text
    output.title = text
    onKey(key, state)
  }

  input.value = sessionStorage.getItem(storageName) ?? ''
  // A paste is complete at once; typing is complete when the field is left or Enter is pressed.
  input.addEventListener('paste', () => setTimeout(announce))
  input.addEventListener('change', announce)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    announce()
  })
  if (!input.value) input.focus()
  await announce()
}
