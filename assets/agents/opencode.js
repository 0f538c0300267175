// Plugin of opencode that reports its activity and figures to dbs and answers its questions by the replies of dbs. It calls `dbs hook` with the
// events of Claude Code's hooks, and `dbs statusline` as its status line does. Seen with version 1.18.33; an event that is unknown or has
// other fields is passed over.
import { spawn } from "node:child_process"
import { dirname, normalize, sep } from "node:path"

const PROGRAM = "{program}"
// Permissions that the role of the agent denies, by name and pattern.
const DENIED = "{denied}"
// Session that is continued, and its prompt; null at a new one. The interface takes no prompt beside the id of a session.
const CONTINUED = "{continued}"
// Folder with the prompt, and what else dbs wrote for the agent.
const OWN = dirname(process.env.DBS_PROMPT_FILE ?? ".") + sep

// Permissions of opencode, as the name of a tool and its input.
const TOOLS = {
  bash: (asked) => ["Bash", { command: asked.metadata?.command }],
  edit: (asked) => ["Edit", { file_path: asked.metadata?.filepath ?? asked.patterns?.[0] }],
  read: (asked) => ["Read", { file_path: asked.patterns?.[0] }],
  webfetch: (asked) => ["WebFetch", { url: asked.metadata?.url ?? asked.patterns?.[0] }],
}

export const Dbs = async ({ client }) => {
  const begun = new Set()
  const children = new Map()
  const waiting = new Map()
  // Sessions whose turn has begun, and the report of its end.
  const turns = new Map()
  let reported = Promise.resolve()

  // Starts a call of dbs. Its output is undefined if it has none, or cannot be read.
  const call = (command, event) => {
    const hook = spawn(PROGRAM, [command], { stdio: ["pipe", "pipe", "ignore"] })
    const output = new Promise((done) => {
      let text = ""
      hook.stdout.on("data", (data) => (text += data))
      hook.on("error", () => done(undefined))
      hook.on("close", () => {
        try {
          done(JSON.parse(text))
        } catch {
          done(undefined)
        }
      })
    })
    hook.stdin.on("error", () => {})
    hook.stdin.end(JSON.stringify(event))
    return { hook, output }
  }

  // Reports an event after those before it.
  const report = (name, session, fields = {}) => {
    const event = { hook_event_name: name, session_id: session, ...fields }
    reported = reported.then(() => call("hook", event).output)
    return reported
  }

  const begin = (session) => {
    if (begun.has(session) || children.has(session)) return
    begun.add(session)
    report("SessionStart", session, { source: "startup" })
  }

  const post = (url, id, body) =>
    client._client.post({ url, path: { id }, body, headers: { "Content-Type": "application/json" } }).catch(() => {})

  // Asks dbs, and returns its decision; undefined if the question is answered in the terminal.
  const ask = async (asked, tool, input) => {
    await reported
    const child = children.get(asked.sessionID)
    const { hook, output } = call("hook", {
      hook_event_name: "PermissionRequest",
      session_id: asked.sessionID,
      ...(child === undefined ? {} : { agent_id: asked.sessionID, agent_type: child }),
      tool_name: tool,
      tool_input: input,
      permission_suggestions: [],
      takes_back: true,
    })
    waiting.set(asked.id, hook)
    const decided = await output
    waiting.delete(asked.id)
    return decided?.hookSpecificOutput?.decision
  }

  const permission = async (asked) => {
    const patterns = asked.patterns ?? []
    if (asked.permission === "external_directory" && patterns.length && patterns.every((path) => normalize(path).startsWith(OWN))) {
      return post("/permission/{id}/reply", asked.id, { reply: "once" })
    }
    const other = () => [asked.permission, { path: asked.metadata?.filepath ?? patterns.join(" ") }]
    const decision = await ask(asked, ...(TOOLS[asked.permission] ?? other)(asked))
    if (!decision) return
    const yes = decision.updatedPermissions ? "always" : "once"
    const no = { reply: "reject", message: decision.message }
    await post("/permission/{id}/reply", asked.id, decision.behavior === "allow" ? { reply: yes } : no)
  }

  const question = async (asked) => {
    const questions = asked.questions.map(({ multiple, ...one }) => ({ ...one, multiSelect: multiple === true }))
    const decision = await ask(asked, "AskUserQuestion", { questions })
    if (!decision) return
    // A rejected question would end the turn, and takes no reason.
    const no = `I decline the question: ${decision.message}`
    const answers = questions.map((one) => [decision.updatedInput?.answers?.[one.question] ?? no])
    await post("/question/{id}/reply", asked.id, { answers })
  }

  // Passes on the cost of all messages so far, and the fill of the context after one of the agent's own.
  const costs = new Map()
  let models
  const count = async ({ info }) => {
    if (info.role !== "assistant" || !info.time?.completed || costs.has(info.id)) return
    costs.set(info.id, info.cost ?? 0)
    const cost = [...costs.values()].reduce((sum, one) => sum + one, 0)
    const figures = { session_id: info.sessionID }
    // A model without a known price costs nothing here.
    if (cost > 0) figures.cost = { total_cost_usd: cost }
    if (!children.has(info.sessionID)) {
      models ??= client.config.providers().catch(() => ({}))
      const provider = (await models).data?.providers?.find((one) => one.id === info.providerID)
      const { input, output, cache } = info.tokens
      figures.context_window = {
        context_window_size: provider?.models?.[info.modelID]?.limit?.context,
        current_usage: {
          input_tokens: input,
          cache_read_input_tokens: cache.read,
          cache_creation_input_tokens: cache.write,
          output_tokens: output,
        },
      }
      figures.model = { id: `${info.providerID}/${info.modelID}` }
    }
    reported = reported.then(() => call("statusline", figures).output)
  }

  const failed = (session, error) => {
    if (error?.name === "MessageAbortedError") return turns.set(session, ["Interrupt"])
    const status = error?.data?.statusCode ?? 0
    const words = [
      [status === 401 || error?.name === "ProviderAuthError", "authentication_failed"],
      [status === 429, "rate_limit"],
      [status >= 500, "server_error"],
    ]
    const word = words.find(([is]) => is)?.[1] ?? ""
    const message = error?.data?.message ?? error?.name ?? "its turn failed"
    // `opencode.toml` knows what helps at these.
    const text = status >= 402 && status <= 404 ? `status ${status}: ${message}` : message
    turns.set(session, ["StopFailure", { error: word, last_assistant_message: text }])
  }

  const idle = async (session) => {
    const [end, fields] = turns.get(session) ?? []
    if (!turns.delete(session)) return
    if (children.has(session)) return report("SubagentStop", session, { agent_id: session })
    const told = await report(end, session, fields)
    if (told?.decision !== "block") return
    turns.set(session, ["Stop", { stop_hook_active: true }])
    await post("/session/{id}/prompt_async", session, { parts: [{ type: "text", text: told.reason }] })
  }

  // Gives a continued session its prompt, and tries again while opencode does not take it yet.
  const proceed = async (tries) => {
    const { session, prompt } = CONTINUED
    const sent = await post("/session/{id}/prompt_async", session, { parts: [{ type: "text", text: prompt }] })
    if ((!sent || sent.error) && tries > 1) setTimeout(proceed, 500, tries - 1)
  }
  if (CONTINUED) setTimeout(proceed, 0, 60)

  // A person has answered in the terminal.
  const answered = ({ requestID, sessionID }) => {
    if (!waiting.get(requestID)?.kill()) return
    const child = children.has(sessionID) ? { agent_id: sessionID } : {}
    report("Notification", sessionID, { notification_type: "wait_over", ...child })
  }

  const EVENTS = {
    "session.created": ({ info }) => {
      if (info.parentID) {
        const name = (info.title ?? "").replace(/ \(@\S+ subagent\)$/, "")
        children.set(info.id, name)
        report("SubagentStart", info.id, { agent_id: info.id, agent_type: name })
      } else begin(info.id)
    },
    "message.updated": count,
    "session.error": ({ sessionID, error }) => turns.has(sessionID) && failed(sessionID, error),
    "session.idle": ({ sessionID }) => idle(sessionID),
    "permission.asked": permission,
    "permission.replied": answered,
    "question.asked": question,
    "question.replied": answered,
    "question.rejected": answered,
  }

  return {
    // The last rule that fits counts. Names with a wildcard stand behind those of the person, which stay as they are.
    config: async (config) => {
      const own = typeof config.permission === "string" ? { "*": config.permission } : { ...config.permission }
      for (const [name, denied] of Object.entries(DENIED)) {
        const before = typeof own[name] === "string" ? { "*": own[name] } : own[name]
        delete own[name]
        own[name] = { ...before, ...denied }
      }
      config.permission = own
    },
    event: async ({ event }) => {
      // A question waits for its answer, and no event waits for that.
      Promise.resolve(EVENTS[event.type]?.(event.properties)).catch(() => {})
    },
    "chat.message": async ({ sessionID }, { parts }) => {
      if (!turns.has(sessionID)) turns.set(sessionID, ["Stop"])
      if (children.has(sessionID)) return
      begin(sessionID)
      const told = await report("UserPromptSubmit", sessionID)
      const context = told?.hookSpecificOutput?.additionalContext
      const text = parts.find((part) => part.type === "text")
      if (context && text) text.text += `\n\n${context}`
    },
  }
}
