export const en = {
  "events.title": "Events",
  "events.empty": "No events",
  "events.emptyHint": "Events of this project's objects appear here and are kept for an hour. From the command line:",
  "events.kind": "Object type",
  "events.count": "Count",
} as const;

export const zh: Record<keyof typeof en, string> = {
  "events.title": "事件",
  "events.empty": "暂无事件",
  "events.emptyHint": "该项目中对象的事件会显示在这里，并保留一小时。命令行：",
  "events.kind": "对象类型",
  "events.count": "次数",
};
