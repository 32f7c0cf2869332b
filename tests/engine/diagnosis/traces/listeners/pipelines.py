"""Small pipelines of the real frameworks, each with a scripted model over two passages of this project's own.

Used by the tests where a framework is installed, and by ``record.py`` for those that run without.
"""

from typing import Any

QUESTION = "Which river flows through Vienna?"
ANSWER = "The Danube"
TEXTS = {
    "Danube": "The Danube rises in the Black Forest and flows through Vienna, Budapest and Belgrade to the Black Sea.",
    "Vienna": "Vienna is the capital of Austria. It lies on the Danube.",
}
LOGPROBS = {
    "content": [
        {"token": "The", "bytes": [84, 104, 101], "logprob": -0.5, "top_logprobs": [{"token": "The", "logprob": -0.5}]},
        {"token": " Danube", "bytes": None, "logprob": -0.25, "top_logprobs": []},
    ]
}
MODEL = "a-scripted-model"
SAID = {"model_name": MODEL, "finish_reason": "stop", "logprobs": LOGPROBS}


def langchain_parts() -> tuple[Any, Any, Any]:
    """Return a retriever, a chat model and a prompt of LangChain."""
    from langchain_core.documents import Document
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.retrievers import BaseRetriever

    class Both(BaseRetriever):
        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
            return [
                Document(page_content=text, metadata={"title": title, "source": f"{title.lower()}.txt"})
                for title, text in TEXTS.items()
            ]

    def replies() -> Any:
        while True:
            yield AIMessage(content=ANSWER, response_metadata=SAID)

    prompt = ChatPromptTemplate.from_template("{context}\n\n{input}")
    return Both(), GenericFakeChatModel(messages=replies()), prompt


def langchain_expression(listener: Any) -> Any:
    """Run a chain of one's own that returns a bare text, as most tutorials have it."""
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.runnables import RunnablePassthrough

    retriever, model, prompt = langchain_parts()
    together = retriever | (lambda found: "\n".join(one.page_content for one in found))
    chain = {"context": together, "input": RunnablePassthrough()} | prompt | model | StrOutputParser()
    return chain.invoke(QUESTION, config={"callbacks": [listener] if listener else []})


def langchain_retrieval_chain(listener: Any) -> Any:
    """Run ``create_retrieval_chain``, which LangChain 1 keeps in ``langchain_classic``."""
    from langchain_classic.chains import create_retrieval_chain
    from langchain_classic.chains.combine_documents import create_stuff_documents_chain

    retriever, model, prompt = langchain_parts()
    chain = create_retrieval_chain(retriever, create_stuff_documents_chain(model, prompt))
    return chain.invoke({"input": QUESTION}, config={"callbacks": [listener] if listener else []})


def langchain_agent(listener: Any) -> Any:
    """Run ``create_agent`` with a tool that returns its documents as an artifact."""
    from langchain.agents import create_agent
    from langchain_core.documents import Document
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.tools import tool

    @tool(response_format="content_and_artifact")
    def look_up(query: str) -> tuple[str, list[Document]]:
        """Look something up."""
        found = [Document(page_content=text, metadata={"title": title}) for title, text in TEXTS.items()]
        return "\n".join(TEXTS.values()), found

    class WithTools(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
            return self

    call = {"name": "look_up", "args": {"query": "river Vienna"}, "id": "1", "type": "tool_call"}
    replies = [AIMessage(content="", tool_calls=[call]), AIMessage(content=ANSWER, response_metadata=SAID)]
    agent = create_agent(WithTools(messages=iter(replies)), [look_up])
    asked = {"messages": [{"role": "user", "content": QUESTION}]}
    return agent.invoke(asked, config={"callbacks": [listener] if listener else []})


def llamaindex_engine(streaming: bool = False) -> Any:
    """Return a query engine of LlamaIndex over two nodes, with a model that completes texts."""
    from llama_index.core.base.llms.types import CompletionResponse, CompletionResponseGen, LLMMetadata
    from llama_index.core.llms import CustomLLM
    from llama_index.core.llms.callbacks import llm_completion_callback
    from llama_index.core.query_engine import RetrieverQueryEngine
    from llama_index.core.response_synthesizers import get_response_synthesizer
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

    raw = {"model": MODEL, "choices": [{"finish_reason": "stop", "logprobs": LOGPROBS}]}

    class Scripted(CustomLLM):
        @property
        def metadata(self) -> LLMMetadata:
            return LLMMetadata(model_name=MODEL)

        @llm_completion_callback()
        def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
            return CompletionResponse(text=ANSWER, raw=raw)

        @llm_completion_callback()
        def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
            def parts() -> CompletionResponseGen:
                yield CompletionResponse(text="The", delta="The", raw=raw)
                yield CompletionResponse(text=ANSWER, delta=" Danube", raw=raw)

            return parts()

    class Both(BaseRetriever):
        def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            return [
                NodeWithScore(
                    node=TextNode(text=text, metadata={"title": title, "file_name": f"{title.lower()}.txt"}), score=0.5
                )
                for title, text in TEXTS.items()
            ]

    written = get_response_synthesizer(llm=Scripted(), streaming=streaming)
    return RetrieverQueryEngine(retriever=Both(), response_synthesizer=written)


def haystack_pipeline() -> Any:
    """Return a Haystack pipeline: BM25 over two documents, a prompt, a scripted generator."""
    from haystack import Document, Pipeline
    from haystack.components.builders import PromptBuilder
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    from tests.engine.diagnosis.traces.listeners.haystack_generator import ScriptedGenerator

    store = InMemoryDocumentStore()
    store.write_documents(
        [
            Document(content=text, meta={"title": title, "file_path": f"{title.lower()}.txt"})
            for title, text in TEXTS.items()
        ]
    )
    pipeline = Pipeline()
    pipeline.add_component("retriever", InMemoryBM25Retriever(store))
    template = "{% for one in documents %}{{ one.content }}\n{% endfor %}{{ question }}"
    pipeline.add_component("prompt", PromptBuilder(template, required_variables=["documents", "question"]))
    pipeline.add_component("llm", ScriptedGenerator(ANSWER, MODEL, LOGPROBS))
    pipeline.connect("retriever.documents", "prompt.documents")
    pipeline.connect("prompt.prompt", "llm.prompt")
    return pipeline


def run_haystack(pipeline: Any) -> Any:
    """Ask a Haystack pipeline the question."""
    return pipeline.run(
        {"retriever": {"query": QUESTION}, "prompt": {"question": QUESTION}}, include_outputs_from={"retriever"}
    )


RUNS = {
    "langchain_expression": langchain_expression,
    "langchain_retrieval_chain": langchain_retrieval_chain,
    "langchain_agent": langchain_agent,
    "llamaindex": lambda listener: llamaindex_engine().query(QUESTION),
    "llamaindex_streamed": lambda listener: "".join(llamaindex_engine(streaming=True).query(QUESTION).response_gen),
    "haystack": lambda listener: run_haystack(haystack_pipeline()),
}
