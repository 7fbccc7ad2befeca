<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en_US">
<context>
    <name>DiagnosticHints</name>
    <message>
        <source>save the file as plain UTF-8 text</source>
        <translation>请把文件保存为纯 UTF-8 文本</translation>
    </message>
    <message>
        <source>use a to z, digits, &apos;_&apos;, &apos;.&apos;, &apos;$&apos; and &apos;-&apos; in names</source>
        <translation>名称中请只用 a 到 z、数字、'_'、'.'、'$' 和 '-'</translation>
    </message>
    <message>
        <source>move the inner part into a function of its own</source>
        <translation>请把内层部分移到单独的函数里</translation>
    </message>
    <message>
        <source>flatten this literal or type</source>
        <translation>请把这个字面量或类型展平</translation>
    </message>
    <message>
        <source>break the line</source>
        <translation>请换行</translation>
    </message>
    <message>
        <source>%1 would do</source>
        <translation>可以用 %1</translation>
    </message>
    <message>
        <source>leave %1 out</source>
        <translation>请去掉 %1</translation>
    </message>
    <message>
        <source>take one of them away</source>
        <translation>请去掉其中一个</translation>
    </message>
    <message>
        <source>did you mean %1?</source>
        <translation>是否想写 %1？</translation>
    </message>
    <message>
        <source>Did you mean %1?</source>
        <translation>是否想写 %1？</translation>
    </message>
    <message>
        <source>Kernels hold block instructions, views of memrefs, scf.for, scf.if and scalar arith, math and affine operations.</source>
        <translation>核函数里可以有 block 指令、memref 视图、scf.for、scf.if，以及标量的 arith、math 和 affine 操作。</translation>
    </message>
    <message>
        <source>Use f64, f32, f16, bf16, i1, i8, i16, i32 or i64.</source>
        <translation>请用 f64、f32、f16、bf16、i1、i8、i16、i32 或 i64。</translation>
    </message>
    <message>
        <source>Run block/allocate-onchip first.</source>
        <translation>请先运行 block/allocate-onchip。</translation>
    </message>
    <message>
        <source>Buffers are allocations, arguments and memref subviews, casts, expansions and collapses of them.</source>
        <translation>缓冲区只能是分配、参数，以及它们的 memref 子视图、转换、展开和合并。</translation>
    </message>
    <message>
        <source>Pack both operands, the right one, or none.</source>
        <translation>请打包两个操作数、只打包右边的，或都不打包。</translation>
    </message>
    <message>
        <source>use dense&lt;…&gt;</source>
        <translation>请用 dense&lt;…&gt;</translation>
    </message>
    <message>
        <source>use f32, f16, bf16, i1, i8, i32 or i64</source>
        <translation>请用 f32、f16、bf16、i1、i8、i32 或 i64</translation>
    </message>
    <message>
        <source>check the folder, its permissions and the free space</source>
        <translation>请检查文件夹、权限和剩余空间</translation>
    </message>
    <message>
        <source>check the path and its permissions</source>
        <translation>请检查路径和权限</translation>
    </message>
    <message>
        <source>use float32, float16, int8, int32, int64 or bool, or V2 for the bits of bf16</source>
        <translation>请用 float32、float16、int8、int32、int64 或 bool；bf16 的位用 V2</translation>
    </message>
    <message>
        <source>convert it with numpy&apos;s astype</source>
        <translation>请用 numpy 的 astype 转换</translation>
    </message>
    <message>
        <source>give a tensor of that shape</source>
        <translation>请给出这种形状的张量</translation>
    </message>
    <message>
        <source>give one tensor for each argument</source>
        <translation>请为每个参数给出一个张量</translation>
    </message>
    <message>
        <source>give inputs whose sizes agree</source>
        <translation>请给出大小一致的输入</translation>
    </message>
    <message>
        <source>an event must order the two writes</source>
        <translation>两次写入之间必须有事件定序</translation>
    </message>
    <message>
        <source>an event, or other room for one of the buffers, must keep the two apart</source>
        <translation>必须用事件，或给其中一个缓冲区另外的空间，把两者分开</translation>
    </message>
    <message>
        <source>write the buffer first: a move, a fill, or a first instruction without accumulate</source>
        <translation>请先写缓冲区：搬移、填充，或第一条不累加的指令</translation>
    </message>
    <message>
        <source>every wait needs a set that its pipe comes to first</source>
        <translation>每个 wait 都需要一个其流水线先到达的 set</translation>
    </message>
    <message>
        <source>use another id, or order the wait before the second set</source>
        <translation>请换一个 id，或让 wait 先于第二个 set</translation>
    </message>
    <message>
        <source>give the destination room of its own</source>
        <translation>请给目的缓冲区单独的空间</translation>
    </message>
    <message>
        <source>The next request starts a new one. If the text is ordinary, please report it with this message.</source>
        <translation>下一个请求会启动新的进程。如果文本并无异常，请连同此消息一起报告。</translation>
    </message>
    <message>
        <source>The next request starts a new one.</source>
        <translation>下一个请求会启动新的进程。</translation>
    </message>
    <message>
        <source>Install Tilewright completely, or set TILEWRIGHT_ENGINE to the path of tilewright-engine.</source>
        <translation>请完整安装 Tilewright，或把 TILEWRIGHT_ENGINE 设为 tilewright-engine 的路径。</translation>
    </message>
    <message>
        <source>The next run starts a new process. If it happens again, check the operator with --check, and report it with its source.</source>
        <translation>下一次运行会启动新的进程。如果再次发生，请用 --check 检查算子，并连同源文件一起报告。</translation>
    </message>
    <message>
        <source>the kinds are %1</source>
        <translation>种类有：%1</translation>
    </message>
    <message>
        <source>correct the key; the rest of the pin acts</source>
        <translation>请更正键；固定项的其余部分有效</translation>
    </message>
    <message>
        <source>remove the pin, or rename it to the operation&apos;s new name</source>
        <translation>请删除该固定项，或改用操作的新名称</translation>
    </message>
    <message>
        <source>remove the pin, or rename it: its operation is probably called %1 now</source>
        <translation>请删除该固定项，或改用新名称：其操作现在可能名为 %1</translation>
    </message>
    <message>
        <source>write {&quot;LEVEL&quot;: {&quot;m&quot;: 128, &quot;n&quot;: 256}}</source>
        <translation>请写成 {"LEVEL": {"m": 128, "n": 256}}</translation>
    </message>
    <message>
        <source>the form is %1</source>
        <translation>格式为 %1</translation>
    </message>
    <message>
        <source>keys are function/name, with the name as in the source without %</source>
        <translation>键的形式是 函数/名称，名称与源文件中的相同但不带 %</translation>
    </message>
    <message>
        <source>did you mean &apos;%1&apos;?</source>
        <translation>是否想写 '%1'？</translation>
    </message>
    <message>
        <source>define it above this line, or correct its name</source>
        <translation>请在这一行之前定义它，或更正名称</translation>
    </message>
    <message>
        <source>end it in `scf.forall.in_parallel { … }`</source>
        <translation>请以 `scf.forall.in_parallel { … }` 结尾</translation>
    </message>
    <message>
        <source>define it before this operation</source>
        <translation>请在这个操作之前定义它</translation>
    </message>
    <message>
        <source>write `module { … }`</source>
        <translation>请写成 `module { … }`</translation>
    </message>
    <message>
        <source>give one of them another name</source>
        <translation>请给其中一个换个名称</translation>
    </message>
    <message>
        <source>define it in this file, or correct its name</source>
        <translation>请在本文件中定义它，或更正名称</translation>
    </message>
    <message>
        <source>write `func.func @name(…) -&gt; … { … }`</source>
        <translation>请写成 `func.func @name(…) -&gt; … { … }`</translation>
    </message>
    <message>
        <source>send the whole text again</source>
        <translation>请重新发送全文</translation>
    </message>
    <message>
        <source>correct the JSON at byte %1</source>
        <translation>请更正第 %1 字节处的 JSON</translation>
    </message>
    <message>
        <source>compare with resources/schemas, or write the file again with this version of Tilewright</source>
        <translation>请与 resources/schemas 对照，或用这个版本的 Tilewright 重新写出文件</translation>
    </message>
    <message>
        <source>pin the root of the scope</source>
        <translation>请固定该作用域的根操作</translation>
    </message>
    <message>
        <source>write {&quot;fuse&quot;: [&quot;KEY&quot;]}, {&quot;apart&quot;: [&quot;KEY&quot;]} or {&quot;apart&quot;: true}</source>
        <translation>请写成 {"fuse": ["KEY"]}、{"apart": ["KEY"]} 或 {"apart": true}</translation>
    </message>
    <message>
        <source>the source did not compile; mend its errors first</source>
        <translation>源文件没有编译通过；请先改正其中的错误</translation>
    </message>
    <message>
        <source>name a stage (tensor, tile, block, execution) or one of: %1</source>
        <translation>请给出阶段（tensor、tile、block、execution）或以下之一：%1</translation>
    </message>
    <message>
        <source>mend its errors first</source>
        <translation>请先改正其中的错误</translation>
    </message>
    <message>
        <source>'tilewright target check FILE' shows each place; resources/schemas/target.schema.json describes the form</source>
        <translation>“tilewright target check FILE”会指出每一处；格式见 resources/schemas/target.schema.json</translation>
    </message>
    <message>
        <source>check that the file exists and may be read</source>
        <translation>请检查文件是否存在、能否读取</translation>
    </message>
    <message>
        <source>choose one of these, or put a description into %1</source>
        <translation>请选择其中之一，或把描述文件放入 %1</translation>
    </message>
    <message>
        <source>Save it as UTF-8. If it is not text at all, it may be the wrong file.</source>
        <translation>请保存为 UTF-8。如果它根本不是文本，可能选错了文件。</translation>
    </message>
    <message>
        <source>Make it a file that you may read, or take it away.</source>
        <translation>请让它成为可读的文件，或将其移走。</translation>
    </message>
    <message>
        <source>%1 (all processors) to %2 are possible</source>
        <translation>可以是 %1（全部处理器）到 %2</translation>
    </message>
    <message>
        <source>%1 to %2 are possible</source>
        <translation>可以是 %1 到 %2</translation>
    </message>
    <message>
        <source>there is: %1</source>
        <translation>现有：%1</translation>
    </message>
    <message>
        <source>Choose with --function NAME (of the method: function).</source>
        <translation>请用 --function NAME 选择（方法中为 function）。</translation>
    </message>
    <message>
        <source>it takes none</source>
        <translation>它不需要参数</translation>
    </message>
    <message>
        <source>it takes: %1</source>
        <translation>它的参数有：%1</translation>
    </message>
    <message>
        <source>run for cpu or cpu-generic, or without a trace</source>
        <translation>请以 cpu 或 cpu-generic 为目标运行，或不记录轨迹</translation>
    </message>
    <message>
        <source>choose another name</source>
        <translation>请换个名称</translation>
    </message>
    <message>
        <source>run it first: tilewright/run</source>
        <translation>请先运行：tilewright/run</translation>
    </message>
    <message>
        <source>one of: none, llvm, asm, object</source>
        <translation>以下之一：none、llvm、asm、object</translation>
    </message>
    <message>
        <source>code is made for cpu and cpu-generic</source>
        <translation>只能为 cpu 和 cpu-generic 生成代码</translation>
    </message>
    <message>
        <source>is there space, and may you write there?</source>
        <translation>还有空间吗？有写入权限吗？</translation>
    </message>
    <message>
        <source>free some space there, or set TMPDIR to another folder</source>
        <translation>请在那里腾出空间，或把 TMPDIR 设为别的文件夹</translation>
    </message>
    <message>
        <source>is there space where temporary files go?</source>
        <translation>放临时文件的地方还有空间吗？</translation>
    </message>
    <message>
        <source>compare the stages around it: tilewright diff %1</source>
        <translation>请比较它前后的阶段：tilewright diff %1</translation>
    </message>
    <message>
        <source>Close the file and open it again.</source>
        <translation>请关闭文件后重新打开。</translation>
    </message>
    <message>
        <source>Free some space, or write elsewhere.</source>
        <translation>请腾出空间，或写到别处。</translation>
    </message>
    <message>
        <source>%1</source>
        <extracomment>Before a hint of the compiler that is in English. English: only &quot;%1&quot;.</extracomment>
        <translation>建议：%1</translation>
    </message>
</context>
<context>
    <name>DiagnosticTitles</name>
    <message>
        <source>Syntax error</source>
        <translation>语法错误</translation>
    </message>
    <message>
        <source>Text too large</source>
        <translation>文本过大</translation>
    </message>
    <message>
        <source>Zero byte in the text</source>
        <translation>文本中有零字节</translation>
    </message>
    <message>
        <source>Letters that cannot stand here</source>
        <translation>此处不允许的字符</translation>
    </message>
    <message>
        <source>String not closed</source>
        <translation>字符串未结束</translation>
    </message>
    <message>
        <source>Brackets do not match</source>
        <translation>括号不匹配</translation>
    </message>
    <message>
        <source>Regions nested too deep</source>
        <translation>区域嵌套过深</translation>
    </message>
    <message>
        <source>Brackets nested too deep</source>
        <translation>括号嵌套过深</translation>
    </message>
    <message>
        <source>Line too long</source>
        <translation>行过长</translation>
    </message>
    <message>
        <source>Expression too long</source>
        <translation>表达式过长</translation>
    </message>
    <message>
        <source>Alias refers to itself</source>
        <translation>别名引用自身</translation>
    </message>
    <message>
        <source>Too long with its aliases written out</source>
        <translation>展开别名后过长</translation>
    </message>
    <message>
        <source>Value used before its definition</source>
        <translation>值在定义前被使用</translation>
    </message>
    <message>
        <source>Defined twice</source>
        <translation>重复定义</translation>
    </message>
    <message>
        <source>Module without a body</source>
        <translation>模块没有主体</translation>
    </message>
    <message>
        <source>Edit outside the text</source>
        <translation>编辑位置超出文本</translation>
    </message>
    <message>
        <source>No function in the text</source>
        <translation>文本中没有函数</translation>
    </message>
    <message>
        <source>Alias defined twice</source>
        <translation>别名重复定义</translation>
    </message>
    <message>
        <source>Unknown operation</source>
        <translation>未知的操作</translation>
    </message>
    <message>
        <source>Undefined value</source>
        <translation>未定义的值</translation>
    </message>
    <message>
        <source>Body ends in the wrong operation</source>
        <translation>主体以错误的操作结尾</translation>
    </message>
    <message>
        <source>Attribute of another kind</source>
        <translation>属性类型不符</translation>
    </message>
    <message>
        <source>Constant without its values</source>
        <translation>常量缺少数据</translation>
    </message>
    <message>
        <source>Not JSON</source>
        <translation>不是 JSON</translation>
    </message>
    <message>
        <source>JSON of another form</source>
        <translation>JSON 的形式不符</translation>
    </message>
    <message>
        <source>Target file cannot be read</source>
        <translation>无法读取目标文件</translation>
    </message>
    <message>
        <source>Target is inconsistent</source>
        <translation>目标描述自相矛盾</translation>
    </message>
    <message>
        <source>Unknown target</source>
        <translation>未知的目标</translation>
    </message>
    <message>
        <source>Trace cannot be opened</source>
        <translation>无法打开跟踪</translation>
    </message>
    <message>
        <source>No trace</source>
        <translation>不是跟踪</translation>
    </message>
    <message>
        <source>Trace is broken</source>
        <translation>跟踪已损坏</translation>
    </message>
    <message>
        <source>Packed trace is damaged</source>
        <translation>压缩的跟踪已损坏</translation>
    </message>
    <message>
        <source>Too many events</source>
        <translation>事件过多</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>Trace cannot be written</source>
        <translation>无法写入跟踪</translation>
    </message>
    <message>
        <source>Operation breaks its own rules</source>
        <translation>操作违反自身规则</translation>
    </message>
    <message>
        <source>Shape too large</source>
        <translation>形状过大</translation>
    </message>
    <message>
        <source>Shapes do not broadcast</source>
        <translation>形状无法广播</translation>
    </message>
    <message>
        <source>Matmul shapes do not fit</source>
        <translation>矩阵乘的形状不匹配</translation>
    </message>
    <message>
        <source>Result type contradicts the operands</source>
        <translation>结果类型与操作数矛盾</translation>
    </message>
    <message>
        <source>Axis out of range</source>
        <translation>轴超出范围</translation>
    </message>
    <message>
        <source>Not a permutation</source>
        <translation>不是一个排列</translation>
    </message>
    <message>
        <source>Reshape changes the number of elements</source>
        <translation>reshape 改变了元素个数</translation>
    </message>
    <message>
        <source>Slice does not fit</source>
        <translation>切片不合适</translation>
    </message>
    <message>
        <source>Concat operands differ</source>
        <translation>concat 的操作数不一致</translation>
    </message>
    <message>
        <source>Norm parameters do not fit</source>
        <translation>归一化参数不合适</translation>
    </message>
    <message>
        <source>Attribute has a wrong value</source>
        <translation>属性值错误</translation>
    </message>
    <message>
        <source>Symbol is not defined</source>
        <translation>符号未定义</translation>
    </message>
    <message>
        <source>No such attribute</source>
        <translation>没有此属性</translation>
    </message>
    <message>
        <source>Pinned tile does not fit</source>
        <translation>固定的 tile 放不下</translation>
    </message>
    <message>
        <source>Pinned size breaks a rule of the machine</source>
        <translation>固定的大小违反机器规则</translation>
    </message>
    <message>
        <source>Tile pin of another form</source>
        <translation>tile 固定项的形式不符</translation>
    </message>
    <message>
        <source>No such dimension to cut</source>
        <translation>没有这样可切分的维度</translation>
    </message>
    <message>
        <source>Pin is not applicable here</source>
        <translation>固定项在此处不适用</translation>
    </message>
    <message>
        <source>Pin matches nothing</source>
        <translation>固定项没有匹配任何操作</translation>
    </message>
    <message>
        <source>No pass obeys this kind of pin</source>
        <translation>没有变换处理这类固定项</translation>
    </message>
    <message>
        <source>Not a pins file</source>
        <translation>不是固定项文件</translation>
    </message>
    <message>
        <source>Unknown kind of pin</source>
        <translation>未知的固定项种类</translation>
    </message>
    <message>
        <source>Scope pin of another form</source>
        <translation>scope 固定项的形式不符</translation>
    </message>
    <message>
        <source>Pinned operations cannot be fused</source>
        <translation>固定的操作无法融合</translation>
    </message>
    <message>
        <source>Split of another form</source>
        <translation>切分固定项的形式不符</translation>
    </message>
    <message>
        <source>Pinned split is impossible</source>
        <translation>固定的切分不可能</translation>
    </message>
    <message>
        <source>Two pins of one kind for one key</source>
        <translation>同一键有两个同类固定项</translation>
    </message>
    <message>
        <source>Pin for a target that does not exist</source>
        <translation>固定项的目标不存在</translation>
    </message>
    <message>
        <source>Pins file of another version</source>
        <translation>固定项文件的版本不同</translation>
    </message>
    <message>
        <source>Pins file cannot be read</source>
        <translation>无法读取固定项文件</translation>
    </message>
    <message>
        <source>No operation of this key</source>
        <translation>没有此键的运算</translation>
    </message>
    <message>
        <source>Pins changed by another writer</source>
        <translation>固定项已被其他写入者更改</translation>
    </message>
    <message>
        <source>Value of a pin cannot be read</source>
        <translation>无法读取固定项的值</translation>
    </message>
    <message>
        <source>Pins cannot be written</source>
        <translation>无法写入固定项</translation>
    </message>
    <message>
        <source>No place for pins</source>
        <translation>没有存放固定项的位置</translation>
    </message>
    <message>
        <source>Override conflicts</source>
        <translation>覆盖内容有冲突</translation>
    </message>
    <message>
        <source>Nothing there to override</source>
        <translation>没有可覆盖的内容</translation>
    </message>
    <message>
        <source>Override cannot be read</source>
        <translation>无法读取覆盖内容</translation>
    </message>
    <message>
        <source>Overriding text is wrong</source>
        <translation>覆盖文本有误</translation>
    </message>
    <message>
        <source>Constant without its data</source>
        <translation>常量缺少数据</translation>
    </message>
    <message>
        <source>Override changes what others see</source>
        <translation>覆盖改变了外部可见的部分</translation>
    </message>
    <message>
        <source>Stage cannot be edited</source>
        <translation>该阶段不可编辑</translation>
    </message>
    <message>
        <source>A pass fails with an override</source>
        <translation>有处理过程因覆盖而失败</translation>
    </message>
    <message>
        <source>Compiler did not survive an override</source>
        <translation>编译器因覆盖而中止</translation>
    </message>
    <message>
        <source>No such override</source>
        <translation>没有此覆盖</translation>
    </message>
    <message>
        <source>Override cannot be written</source>
        <translation>无法写入覆盖内容</translation>
    </message>
    <message>
        <source>Nothing was edited</source>
        <translation>没有任何修改</translation>
    </message>
    <message>
        <source>Nothing to rename</source>
        <translation>没有可重命名的内容</translation>
    </message>
    <message>
        <source>Not a name</source>
        <translation>不是合法的名称</translation>
    </message>
    <message>
        <source>Name is taken</source>
        <translation>名称已被占用</translation>
    </message>
    <message>
        <source>No such group</source>
        <translation>没有这个分组</translation>
    </message>
    <message>
        <source>Workspace is not trusted</source>
        <translation>工作区未受信任</translation>
    </message>
    <message>
        <source>No such pin</source>
        <translation>没有此固定项</translation>
    </message>
    <message>
        <source>Pin is no order</source>
        <translation>固定项不是遍历顺序</translation>
    </message>
    <message>
        <source>Pinned order is impossible</source>
        <translation>固定的遍历顺序无法实现</translation>
    </message>
    <message>
        <source>Pin is no kind of core</source>
        <translation>固定的值不是核心类型</translation>
    </message>
    <message>
        <source>Pinned core cannot compute it</source>
        <translation>固定的核心无法执行该运算</translation>
    </message>
    <message>
        <source>Pinned buffers do not fit</source>
        <translation>固定的缓冲区放不下</translation>
    </message>
    <message>
        <source>Pin is no number of copies or blocks</source>
        <translation>固定项不是份数或块数</translation>
    </message>
    <message>
        <source>Pin of buffers has no effect</source>
        <translation>缓冲区固定项不起作用</translation>
    </message>
    <message>
        <source>Pinned number of blocks divides no grid</source>
        <translation>固定的块数不能整除任何网格</translation>
    </message>
    <message>
        <source>Layout is impossible</source>
        <translation>不可能的布局</translation>
    </message>
    <message>
        <source>Tile move is impossible</source>
        <translation>不可能的 tile 搬移</translation>
    </message>
    <message>
        <source>Cannot be cut into scopes</source>
        <translation>无法划分为 scope</translation>
    </message>
    <message>
        <source>Operations do not share tiles</source>
        <translation>操作之间不共享 tile</translation>
    </message>
    <message>
        <source>Operation cannot be tiled</source>
        <translation>操作无法切成 tile</translation>
    </message>
    <message>
        <source>Size along the joined axis is unknown</source>
        <translation>合并轴的大小未知</translation>
    </message>
    <message>
        <source>Tile lies where it cannot be used</source>
        <translation>tile 所在位置不可用</translation>
    </message>
    <message>
        <source>On-chip memory is too small</source>
        <translation>片上内存不足</translation>
    </message>
    <message>
        <source>Unknown memory level</source>
        <translation>未知的内存层级</translation>
    </message>
    <message>
        <source>A pass failed</source>
        <translation>某个变换失败</translation>
    </message>
    <message>
        <source>Nearly an attention</source>
        <translation>近似注意力但不是</translation>
    </message>
    <message>
        <source>Kernel or program has a wrong signature</source>
        <translation>kernel 或程序的签名错误</translation>
    </message>
    <message>
        <source>Dispatch does not fit its kernel</source>
        <translation>派发与 kernel 不符</translation>
    </message>
    <message>
        <source>Buffer at an impossible offset</source>
        <translation>缓冲区偏移不可能</translation>
    </message>
    <message>
        <source>Size known only at run time</source>
        <translation>大小在运行时才知道</translation>
    </message>
    <message>
        <source>Scope cannot be made into buffers</source>
        <translation>scope 无法转为缓冲区</translation>
    </message>
    <message>
        <source>Tile has no upper bound</source>
        <translation>tile 没有上界</translation>
    </message>
    <message>
        <source>Operation has no instruction</source>
        <translation>操作没有对应指令</translation>
    </message>
    <message>
        <source>Scopes cannot be joined</source>
        <translation>scope 无法合并</translation>
    </message>
    <message>
        <source>Scope cannot become kernels</source>
        <translation>scope 无法成为 kernel</translation>
    </message>
    <message>
        <source>Instruction&apos;s shapes differ</source>
        <translation>指令的形状不一致</translation>
    </message>
    <message>
        <source>Instruction&apos;s element types differ</source>
        <translation>指令的元素类型不一致</translation>
    </message>
    <message>
        <source>Move&apos;s shapes differ</source>
        <translation>搬移的形状不一致</translation>
    </message>
    <message>
        <source>Reduction does not fit</source>
        <translation>归约不合适</translation>
    </message>
    <message>
        <source>Matmul instruction does not fit</source>
        <translation>矩阵乘指令不合适</translation>
    </message>
    <message>
        <source>Transpose instruction does not fit</source>
        <translation>转置指令不合适</translation>
    </message>
    <message>
        <source>Reshape instruction does not fit</source>
        <translation>reshape 指令不合适</translation>
    </message>
    <message>
        <source>Generic instruction is inconsistent</source>
        <translation>通用指令自相矛盾</translation>
    </message>
    <message>
        <source>Target cannot do this instruction</source>
        <translation>目标无法执行此指令</translation>
    </message>
    <message>
        <source>Instruction is on no pipe</source>
        <translation>指令不在任何流水线上</translation>
    </message>
    <message>
        <source>Pipes cannot be ordered</source>
        <translation>流水线无法排序</translation>
    </message>
    <message>
        <source>Operation cannot be executed</source>
        <translation>操作无法执行</translation>
    </message>
    <message>
        <source>Buffer without an address</source>
        <translation>缓冲区没有地址</translation>
    </message>
    <message>
        <source>Level the target lacks</source>
        <translation>目标没有该内存层级</translation>
    </message>
    <message>
        <source>Buffer beyond its level&apos;s end</source>
        <translation>缓冲区超出其层级末尾</translation>
    </message>
    <message>
        <source>Program or kernel not found</source>
        <translation>找不到程序或 kernel</translation>
    </message>
    <message>
        <source>Shape not known when compiling</source>
        <translation>编译时形状未知</translation>
    </message>
    <message>
        <source>Buffer or value reached in an unknown way</source>
        <translation>以未知方式访问缓冲区或值</translation>
    </message>
    <message>
        <source>Instruction not in a form that is compiled</source>
        <translation>指令的形式无法编译</translation>
    </message>
    <message>
        <source>Kernel cannot be lowered to LLVM</source>
        <translation>kernel 无法降到 LLVM</translation>
    </message>
    <message>
        <source>No machine code</source>
        <translation>没有机器码</translation>
    </message>
    <message>
        <source>Accesses that nothing orders</source>
        <translation>没有次序约束的访问</translation>
    </message>
    <message>
        <source>Bytes read that nothing wrote</source>
        <translation>读取了未写入的字节</translation>
    </message>
    <message>
        <source>Buffer overwritten while in use</source>
        <translation>缓冲区在使用中被覆盖</translation>
    </message>
    <message>
        <source>Wait that no set reaches</source>
        <translation>等待的事件从未被设置</translation>
    </message>
    <message>
        <source>Event set twice</source>
        <translation>事件被设置两次</translation>
    </message>
    <message>
        <source>Event left set</source>
        <translation>事件设置后无人等待</translation>
    </message>
    <message>
        <source>Pipes wait for each other</source>
        <translation>流水线互相等待</translation>
    </message>
    <message>
        <source>Superfluous event</source>
        <translation>多余的事件</translation>
    </message>
    <message>
        <source>Buffer misaligned</source>
        <translation>缓冲区未对齐</translation>
    </message>
    <message>
        <source>Access outside a buffer</source>
        <translation>访问超出缓冲区</translation>
    </message>
    <message>
        <source>Instruction overwrites its own source</source>
        <translation>指令覆盖了自己的输入</translation>
    </message>
    <message>
        <source>Event id the target lacks</source>
        <translation>目标没有的事件编号</translation>
    </message>
    <message>
        <source>The interpreter does not know this</source>
        <translation>解释器不认识此操作</translation>
    </message>
    <message>
        <source>Tensor too large to hold</source>
        <translation>张量过大</translation>
    </message>
    <message>
        <source>File of numbers cannot be read or written</source>
        <translation>无法读写数值文件</translation>
    </message>
    <message>
        <source>Not a complete .npy file</source>
        <translation>不是完整的 .npy 文件</translation>
    </message>
    <message>
        <source>Element type not supported</source>
        <translation>不支持的元素类型</translation>
    </message>
    <message>
        <source>Input of another shape or type</source>
        <translation>输入的形状或类型不符</translation>
    </message>
    <message>
        <source>Sizes disagree</source>
        <translation>大小不一致</translation>
    </message>
    <message>
        <source>Interpreting was cancelled</source>
        <translation>解释已取消</translation>
    </message>
    <message>
        <source>Kernels cannot be loaded</source>
        <translation>无法加载 kernel</translation>
    </message>
    <message>
        <source>No memory for a buffer</source>
        <translation>缓冲区内存不足</translation>
    </message>
    <message>
        <source>No program loaded</source>
        <translation>没有加载程序</translation>
    </message>
    <message>
        <source>Wrong number of inputs</source>
        <translation>输入个数错误</translation>
    </message>
    <message>
        <source>Run failed</source>
        <translation>运行失败</translation>
    </message>
    <message>
        <source>Compiled program cannot be read or written</source>
        <translation>无法读写已编译的程序</translation>
    </message>
    <message>
        <source>Sizes do not fit at run time</source>
        <translation>运行时大小不匹配</translation>
    </message>
    <message>
        <source>Wrong program arguments</source>
        <translation>程序参数错误</translation>
    </message>
    <message>
        <source>Run cancelled</source>
        <translation>运行已取消</translation>
    </message>
    <message>
        <source>Wrong bytes under some order of the pipes</source>
        <translation>某种流水线次序下结果字节错误</translation>
    </message>
    <message>
        <source>Bytes read that nothing wrote, at run time</source>
        <translation>运行时读取了未写入的字节</translation>
    </message>
    <message>
        <source>Pipes wait for ever</source>
        <translation>流水线永远等待</translation>
    </message>
    <message>
        <source>Event set twice or left set</source>
        <translation>事件被设置两次或无人等待</translation>
    </message>
    <message>
        <source>Instruction overwrites its own source, at run time</source>
        <translation>运行时指令覆盖了自己的输入</translation>
    </message>
    <message>
        <source>Executed by the interpreter</source>
        <translation>由解释器执行</translation>
    </message>
    <message>
        <source>No such function to run</source>
        <translation>没有可运行的此函数</translation>
    </message>
    <message>
        <source>Argument that cannot be given a value</source>
        <translation>无法为参数取值</translation>
    </message>
    <message>
        <source>No such argument</source>
        <translation>没有此参数</translation>
    </message>
    <message>
        <source>Results differ</source>
        <translation>结果不一致</translation>
    </message>
    <message>
        <source>Threads or repeats out of range</source>
        <translation>线程数或重复次数超出范围</translation>
    </message>
    <message>
        <source>No trace of an interpreted run</source>
        <translation>解释运行没有跟踪</translation>
    </message>
    <message>
        <source>Repeats differ</source>
        <translation>各次重复的结果不一致</translation>
    </message>
    <message>
        <source>Only one function was run</source>
        <translation>只运行了一个函数</translation>
    </message>
    <message>
        <source>A pass computes something else</source>
        <translation>某个变换改变了计算结果</translation>
    </message>
    <message>
        <source>Snapshot that cannot be run</source>
        <translation>快照无法运行</translation>
    </message>
    <message>
        <source>No such tensor in any stage</source>
        <translation>任何阶段都没有这个张量</translation>
    </message>
    <message>
        <source>Snapshot file damaged</source>
        <translation>快照文件已损坏</translation>
    </message>
    <message>
        <source>The compiler died</source>
        <translation>编译器进程意外退出</translation>
    </message>
    <message>
        <source>The compiler did not answer</source>
        <translation>编译器没有应答</translation>
    </message>
    <message>
        <source>The compiler cannot be started</source>
        <translation>无法启动编译器</translation>
    </message>
    <message>
        <source>Answer that is no answer</source>
        <translation>应答无法识别</translation>
    </message>
    <message>
        <source>Document is not open</source>
        <translation>文档未打开</translation>
    </message>
    <message>
        <source>Request with wrong parameters</source>
        <translation>请求参数错误</translation>
    </message>
    <message>
        <source>Not a stage document</source>
        <translation>不是阶段文档</translation>
    </message>
    <message>
        <source>Something failed here</source>
        <translation>此处出错</translation>
    </message>
    <message>
        <source>No such snapshot</source>
        <translation>没有此快照</translation>
    </message>
    <message>
        <source>Compilation stopped without a reason</source>
        <translation>编译无故停止</translation>
    </message>
    <message>
        <source>Text out of step with the editor</source>
        <translation>文本与编辑器不同步</translation>
    </message>
    <message>
        <source>Buffers without addresses</source>
        <translation>缓冲区尚无地址</translation>
    </message>
    <message>
        <source>No such kernel</source>
        <translation>没有这个核函数</translation>
    </message>
    <message>
        <source>Experiments cannot be read or written</source>
        <translation>无法读写实验记录</translation>
    </message>
    <message>
        <source>No such experiment</source>
        <translation>没有这个实验</translation>
    </message>
    <message>
        <source>No folder to record in</source>
        <translation>没有可供记录的文件夹</translation>
    </message>
    <message>
        <source>The running program died</source>
        <translation>运行中的程序意外退出</translation>
    </message>
    <message>
        <source>The runner cannot be started</source>
        <translation>无法启动运行进程</translation>
    </message>
    <message>
        <source>No room for temporary files</source>
        <translation>没有临时文件的空间</translation>
    </message>
    <message>
        <source>Not run yet</source>
        <translation>尚未运行</translation>
    </message>
    <message>
        <source>Cannot emit that</source>
        <translation>无法输出该内容</translation>
    </message>
    <message>
        <source>No code for this target</source>
        <translation>此目标没有代码生成</translation>
    </message>
    <message>
        <source>Emitted code cannot be written</source>
        <translation>无法写入生成的代码</translation>
    </message>
    <message>
        <source>Wrong usage</source>
        <translation>用法错误</translation>
    </message>
    <message>
        <source>File cannot be read</source>
        <translation>无法读取文件</translation>
    </message>
    <message>
        <source>A folder instead of a file</source>
        <translation>是文件夹而不是文件</translation>
    </message>
    <message>
        <source>File too large</source>
        <translation>文件过大</translation>
    </message>
    <message>
        <source>File is not UTF-8</source>
        <translation>文件不是 UTF-8</translation>
    </message>
    <message>
        <source>Cannot write</source>
        <translation>无法写入</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <extracomment>A title in the user&apos;s language, then the compiler&apos;s message.</extracomment>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Previous (Shift+F3)</source>
        <translation>上一个 (Shift+F3)</translation>
    </message>
    <message>
        <source>Next (F3)</source>
        <translation>下一个 (F3)</translation>
    </message>
    <message>
        <source>Close (Escape)</source>
        <translation>关闭 (Escape)</translation>
    </message>
    <message>
        <source>nothing found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>%1 of more than %2</source>
        <translation>第 %1 个，共超过 %2 个</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>第 %1 个，共 %2 个</translation>
    </message>
</context>
<context>
    <name>GraphCanvas</name>
    <message>
        <source>Graph of the chosen stage</source>
        <translation>所选阶段的图</translation>
    </message>
    <message>
        <source>result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>grid</source>
        <translation>网格</translation>
    </message>
    <message>
        <source>figure</source>
        <translation>数值</translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>另外 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>from</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>holds</source>
        <translation>包含</translation>
    </message>
    <message numerus="yes">
        <source>%n node(s); double click opens it</source>
        <translation>
            <numerusform>%n 个节点；双击展开</numerusform>
        </translation>
    </message>
    <message>
        <source>Laying out the graph…</source>
        <translation>正在布局…</translation>
    </message>
    <message>
        <source>All of the graph, and the part that is in view. Click or drag to go there.</source>
        <translation>整张图以及当前可见的部分。单击或拖动即可前往。</translation>
    </message>
    <message numerus="yes">
        <source>Open: show the %n node(s) inside</source>
        <translation>
            <numerusform>展开：显示内部的 %n 个节点</numerusform>
        </translation>
    </message>
    <message>
        <source>Close: show it as one node</source>
        <translation>折叠：显示为一个节点</translation>
    </message>
</context>
<context>
    <name>IrView</name>
    <message>
        <source>IR of the chosen pass</source>
        <translation>所选变换的 IR</translation>
    </message>
</context>
<context>
    <name>LspBackend</name>
    <message>
        <source>The language server %1 cannot be started: %2. Put it beside Studio or name it in TILEWRIGHT_LSP.</source>
        <translation>无法启动语言服务器 %1：%2。请把它放在 Studio 旁边，或用 TILEWRIGHT_LSP 指定路径。</translation>
    </message>
    <message numerus="yes">
        <source>The language server ended %n time(s) in a row (%1).</source>
        <translation>
            <numerusform>语言服务器连续退出 %n 次（%1）。</numerusform>
        </translation>
    </message>
    <message>
        <source>ended by signal %1</source>
        <translation>被信号 %1 终止</translation>
    </message>
    <message>
        <source>exited with code %1</source>
        <translation>以代码 %1 退出</translation>
    </message>
    <message>
        <source>the text was edited meanwhile</source>
        <translation>文本在此期间被修改</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>No file is open</source>
        <translation>尚未打开文件</translation>
    </message>
    <message>
        <source>Open an operator written in MLIR, or drop one here.</source>
        <translation>打开一个用 MLIR 编写的算子，或拖放到这里。</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>源码</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Hide problems</source>
        <translation>隐藏问题</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>变换列表</translation>
    </message>
    <message>
        <source>IR</source>
        <translation>IR</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>图</translation>
    </message>
    <message>
        <source>Zoom out (-)</source>
        <translation>缩小 (-)</translation>
    </message>
    <message>
        <source>Zoom in (+)</source>
        <translation>放大 (+)</translation>
    </message>
    <message>
        <source>Show all (F)</source>
        <translation>显示全部 (F)</translation>
    </message>
    <message>
        <source>Close all groups</source>
        <translation>折叠所有分组</translation>
    </message>
    <message>
        <source>Open all groups</source>
        <translation>展开所有分组</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Open &amp;trace…</source>
        <translation>打开跟踪(&amp;T)…</translation>
    </message>
    <message>
        <source>Open trace</source>
        <translation>打开跟踪</translation>
    </message>
    <message>
        <source>Chrome traces (*.json *.json.gz);;All files (*)</source>
        <translation>Chrome 跟踪 (*.json *.json.gz);;所有文件 (*)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>S&amp;top</source>
        <translation>停止(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Dark theme</source>
        <translation>深色主题(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>Cu&amp;t</source>
        <translation>剪切(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Paste</source>
        <translation>粘贴(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>Stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>&amp;Fit graph</source>
        <translation>图适应窗口(&amp;F)</translation>
    </message>
    <message>
        <source>Fit t&amp;imeline</source>
        <translation>时间线适应窗口(&amp;I)</translation>
    </message>
    <message>
        <source>&amp;Problems</source>
        <translation>问题(&amp;P)</translation>
    </message>
    <message>
        <source>P&amp;asses</source>
        <translation>变换列表(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Graph</source>
        <translation>图(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;IR</source>
        <translation>IR(&amp;I)</translation>
    </message>
    <message>
        <source>Ti&amp;meline</source>
        <translation>时间线(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;About Tilewright Studio</source>
        <translation>关于 Tilewright Studio(&amp;A)</translation>
    </message>
    <message>
        <source>About Tilewright Studio</source>
        <translation>关于 Tilewright Studio</translation>
    </message>
    <message>
        <source>&lt;b&gt;Tilewright Studio %1&lt;/b&gt;&lt;p&gt;A workbench for operators of tile-based accelerators.&lt;/p&gt;&lt;p&gt;Studio is free software under the GNU General Public License, version 3 or later.&lt;/p&gt;</source>
        <translation>&lt;b&gt;Tilewright Studio %1&lt;/b&gt;&lt;p&gt;面向分块加速器算子的工作台。&lt;/p&gt;&lt;p&gt;Studio 是自由软件，采用 GNU 通用公共许可证第 3 版或更高版本。&lt;/p&gt;</translation>
    </message>
    <message>
        <source>Open a file (Ctrl+O)</source>
        <translation>打开文件 (Ctrl+O)</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>The machine to compile for</source>
        <translation>为哪种机器编译</translation>
    </message>
    <message>
        <source>Light or dark (Ctrl+Shift+D)</source>
        <translation>浅色或深色 (Ctrl+Shift+D)</translation>
    </message>
    <message>
        <source>Switch theme</source>
        <translation>切换主题</translation>
    </message>
    <message>
        <source>Nothing to show for this pass</source>
        <translation>此变换没有可显示的内容</translation>
    </message>
    <message>
        <source>No graph</source>
        <translation>没有图</translation>
    </message>
    <message>
        <source>Not compiled</source>
        <translation>未编译</translation>
    </message>
    <message>
        <source>No engine</source>
        <translation>没有引擎</translation>
    </message>
    <message>
        <source>The source can still be edited.</source>
        <translation>仍可编辑源码。</translation>
    </message>
    <message>
        <source>cpu</source>
        <translation>cpu</translation>
    </message>
    <message>
        <source>No passes yet</source>
        <translation>还没有变换</translation>
    </message>
    <message>
        <source>They appear as soon as a file is open.</source>
        <translation>打开文件后即会出现。</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n changed</source>
        <translation>
            <numerusform>共 %n 个，%1 个有改动</numerusform>
        </translation>
    </message>
    <message>
        <source>stopped by an error</source>
        <translation>因错误中止</translation>
    </message>
    <message>
        <source>No IR yet</source>
        <translation>还没有 IR</translation>
    </message>
    <message>
        <source>Choose a pass to see the program after it.</source>
        <translation>选择一个变换，查看它之后的程序。</translation>
    </message>
    <message>
        <source>No graph yet</source>
        <translation>还没有图</translation>
    </message>
    <message>
        <source>Open a file; its operations appear here, stage by stage.</source>
        <translation>打开文件后，各阶段的操作会显示在这里。</translation>
    </message>
    <message numerus="yes">
        <source>%n line(s)</source>
        <translation>
            <numerusform>%n 行</numerusform>
        </translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Stop the run (Shift+F5)</source>
        <translation>停止运行 (Shift+F5)</translation>
    </message>
    <message>
        <source>Run on this machine (F5)</source>
        <translation>在本机运行 (F5)</translation>
    </message>
    <message>
        <source>Running…</source>
        <translation>正在运行…</translation>
    </message>
    <message>
        <source>running…</source>
        <translation>正在运行…</translation>
    </message>
    <message>
        <source>(%1% of peak)</source>
        <translation>（峰值的 %1%）</translation>
    </message>
    <message>
        <source>numbers agree</source>
        <translation>数值一致</translation>
    </message>
    <message>
        <source>NUMBERS DIFFER</source>
        <translation>数值不一致</translation>
    </message>
    <message>
        <source>%1 tasks</source>
        <translation>%1 个任务</translation>
    </message>
    <message>
        <source>%1% busy</source>
        <translation>%1% 忙碌</translation>
    </message>
    <message>
        <source>critical path %1 of %2</source>
        <translation>关键路径 %1 / %2</translation>
    </message>
    <message>
        <source>Tilewright Studio</source>
        <translation>Tilewright Studio</translation>
    </message>
    <message>
        <source>%1, not saved</source>
        <translation>%1，未保存</translation>
    </message>
    <message>
        <source>%1 is not valid UTF-8; it is shown read-only, with � for the bytes that are none</source>
        <translation>%1 不是有效的 UTF-8；以只读方式显示，无效字节以 � 代替</translation>
    </message>
    <message>
        <source>Compiling…</source>
        <translation>正在编译…</translation>
    </message>
    <message>
        <source>MLIR (*.mlir);;All files (*)</source>
        <translation>MLIR (*.mlir);;所有文件 (*)</translation>
    </message>
    <message>
        <source>This file is read-only here</source>
        <translation>此文件在这里是只读的</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>已保存</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>有未保存的修改</translation>
    </message>
    <message>
        <source>%1 has changes that are not saved.</source>
        <translation>%1 有未保存的修改。</translation>
    </message>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation>
            <numerusform>%n 个节点</numerusform>
        </translation>
    </message>
    <message>
        <source>The run has no timeline</source>
        <translation>本次运行没有时间线</translation>
    </message>
    <message>
        <source>Code for %1 cannot run here: the interpreter executed its Block graph. That gives results, but no times.</source>
        <translation>%1 的代码无法在本机运行：已由解释器执行其 Block 图。这样有结果，但没有时间。</translation>
    </message>
    <message>
        <source>The run failed</source>
        <translation>运行失败</translation>
    </message>
    <message>
        <source>interpreted for %1: results, but no times</source>
        <translation>为 %1 解释执行：有结果，无时间</translation>
    </message>
    <message>
        <source>trace %1</source>
        <translation>跟踪 %1</translation>
    </message>
    <message>
        <source>The source does not compile.</source>
        <translation>源码无法编译。</translation>
    </message>
    <message>
        <source>No IR</source>
        <translation>没有 IR</translation>
    </message>
    <message>
        <source>Find in the source</source>
        <translation>在源码中查找</translation>
    </message>
    <message>
        <source>Find in the IR</source>
        <translation>在 IR 中查找</translation>
    </message>
    <message>
        <source>Find a node by name or operation</source>
        <translation>按名称或操作查找节点</translation>
    </message>
    <message>
        <source>This node comes from no operation of the source</source>
        <translation>此节点不来自源码中的任何操作</translation>
    </message>
    <message>
        <source>&amp;Find…</source>
        <translation>查找(&amp;F)…</translation>
    </message>
    <message>
        <source>Find &amp;next</source>
        <translation>查找下一个(&amp;N)</translation>
    </message>
    <message>
        <source>Find pre&amp;vious</source>
        <translation>查找上一个(&amp;V)</translation>
    </message>
    <message>
        <source>Show selection in the g&amp;raph</source>
        <translation>在图中显示所选(&amp;R)</translation>
    </message>
    <message>
        <source>UI &amp;scale</source>
        <translation>界面缩放(&amp;S)</translation>
    </message>
    <message>
        <source>As the screen has it</source>
        <translation>跟随屏幕</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>As the system has it</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Nothing was run yet. F5 runs the operator and shows what each core did; Ctrl+T opens a trace.</source>
        <translation>尚未运行。按 F5 运行算子并查看各核的工作；按 Ctrl+T 打开跟踪。</translation>
    </message>
    <message>
        <source>Nothing was run yet. Ctrl+T opens a trace.</source>
        <translation>尚未运行。按 Ctrl+T 打开跟踪。</translation>
    </message>
    <message>
        <source>one run: %1 ms</source>
        <translation>运行一次：%1 ms</translation>
    </message>
    <message numerus="yes">
        <source>the fastest of %n run(s): %1 ms</source>
        <translation>
            <numerusform>%n 次运行中最快的一次：%1 ms</numerusform>
        </translation>
    </message>
    <message>
        <source>The new scale is used when Studio starts again.</source>
        <translation>新的缩放在 Studio 下次启动时生效。</translation>
    </message>
    <message>
        <source>The new language is used when Studio starts again.</source>
        <translation>新的语言在 Studio 下次启动时生效。</translation>
    </message>
    <message>
        <source>Restart now</source>
        <translation>立即重启</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>稍后</translation>
    </message>
</context>
<context>
    <name>Origin</name>
    <message>
        <source>estimated</source>
        <translation>估算</translation>
    </message>
    <message>
        <source>simulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
</context>
<context>
    <name>ProblemsList</name>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
</context>
<context>
    <name>ProblemsModel</name>
    <message>
        <source>line %1</source>
        <translation>第 %1 行</translation>
    </message>
    <message>
        <source>%1 %2, line %3</source>
        <translation>%1 %2，第 %3 行</translation>
    </message>
</context>
<context>
    <name>Screenshot</name>
    <message>
        <source>nothing to show after %1 s; the engine is %2</source>
        <translation>%1 秒后仍无内容可显示；引擎%2</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>still working</source>
        <translation>仍在工作</translation>
    </message>
    <message>
        <source>the run left no trace</source>
        <translation>运行没有留下跟踪</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message>
        <source>%1 cannot be written as an image of kind &quot;%2&quot;</source>
        <translation>无法把 %1 写成 &quot;%2&quot; 类型的图片</translation>
    </message>
    <message>
        <source>no operation has the key %1</source>
        <translation>没有键为 %1 的操作</translation>
    </message>
</context>
<context>
    <name>SelectionModel</name>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 及另外 %n 个</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SourceEditor</name>
    <message>
        <source>Source</source>
        <translation>源码</translation>
    </message>
</context>
<context>
    <name>SourceFile</name>
    <message>
        <source>%1 is a folder; choose a file in it</source>
        <translation>%1 是文件夹；请选择其中的文件</translation>
    </message>
    <message>
        <source>%1 is larger than 1 GiB, the most Studio opens</source>
        <translation>%1 大于 1 GiB，超出 Studio 可打开的大小</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>无法读取 %1：%2</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
</context>
<context>
    <name>StageBar</name>
    <message>
        <source>Stage</source>
        <translation>阶段</translation>
    </message>
</context>
<context>
    <name>StageModel</name>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>Tile</source>
        <translation>Tile</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>Block</translation>
    </message>
    <message>
        <source>Execution</source>
        <translation>Execution</translation>
    </message>
    <message>
        <source>LLVM</source>
        <translation>LLVM</translation>
    </message>
    <message>
        <source>Assembly</source>
        <translation>汇编</translation>
    </message>
    <message>
        <source>Pass</source>
        <translation>变换</translation>
    </message>
    <message>
        <source>Ops</source>
        <translation>操作</translation>
    </message>
    <message numerus="yes">
        <source>%n pass(es), %1 ms, measured</source>
        <translation>
            <numerusform>%n 个变换，%1 ms，实测</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2 ms, measured</source>
        <translation>%1：%2 ms，实测</translation>
    </message>
    <message numerus="yes">
        <source>Changed %n operation(s)</source>
        <translation>
            <numerusform>改动了 %n 个操作</numerusform>
        </translation>
    </message>
    <message>
        <source>Changed nothing</source>
        <translation>没有改动</translation>
    </message>
    <message>
        <source>Every scope came from the cache</source>
        <translation>所有作用域都来自缓存</translation>
    </message>
    <message>
        <source>%1, changed</source>
        <translation>%1，有改动</translation>
    </message>
    <message>
        <source>%1, unchanged</source>
        <translation>%1，无改动</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
</context>
<context>
    <name>StageTree</name>
    <message>
        <source>Stages and passes</source>
        <translation>阶段与变换</translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message>
        <source>Engine starting</source>
        <translation>引擎启动中</translation>
    </message>
    <message>
        <source>Engine ready</source>
        <translation>引擎就绪</translation>
    </message>
    <message>
        <source>Engine working</source>
        <translation>引擎工作中</translation>
    </message>
    <message>
        <source>Engine restarting</source>
        <translation>引擎重启中</translation>
    </message>
    <message>
        <source>No engine</source>
        <translation>没有引擎</translation>
    </message>
    <message numerus="yes">
        <source>%n error(s)</source>
        <translation>
            <numerusform>%n 个错误</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n warning(s)</source>
        <translation>
            <numerusform>%n 个警告</numerusform>
        </translation>
    </message>
    <message>
        <source>No problems</source>
        <translation>没有问题</translation>
    </message>
    <message>
        <source>Ln %1, Col %2</source>
        <translation>行 %1，列 %2</translation>
    </message>
    <message>
        <source>Generation %1 · compiled in %2 ms, measured</source>
        <translation>第 %1 代 · 编译 %2 ms，实测</translation>
    </message>
</context>
<context>
    <name>TimelineCanvas</name>
    <message>
        <source>Timeline of the last run</source>
        <translation>上次运行的时间线</translation>
    </message>
    <message>
        <source>took</source>
        <translation>用时</translation>
    </message>
    <message>
        <source>began at</source>
        <translation>开始于</translation>
    </message>
    <message>
        <source>on</source>
        <translation>位于</translation>
    </message>
    <message>
        <source>task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>waited for</source>
        <translation>等待了</translation>
    </message>
    <message numerus="yes">
        <source>%n task(s)</source>
        <translation>
            <numerusform>%n 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>critical path</source>
        <translation>关键路径</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>from</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Track</source>
        <translation>轨道</translation>
    </message>
    <message>
        <source>busy</source>
        <translation>忙碌</translation>
    </message>
</context>
<context>
    <name>Workbench</name>
    <message>
        <source>There is no target %1; there is: %2</source>
        <translation>没有目标 %1；现有：%2</translation>
    </message>
    <message>
        <source>There is no stage or pass %1; there is: %2</source>
        <translation>没有阶段或变换 %1；现有：%2</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
</context>
</TS>
